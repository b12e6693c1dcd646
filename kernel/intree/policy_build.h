/* SPDX-License-Identifier: MIT */
/*
 * The policy of a tree executor: none. Its decisions are those of the tree's own code; what is here
 * serves the parts of the core that it shares with the model (core/open_file.c, fuzz/step.c).
 */
#ifndef POLICY_BUILD_H
#define POLICY_BUILD_H

#define POLICY_NAME    tree_operations
#define POLICY_TOGGLES 0

static inline uint8_t policy_pipe_mode(const struct world *w)
{
	(void)w;
	return 0;
}

static inline uint32_t policy_pipe_flags(const struct world *w)
{
	(void)w;
	return 0;
}

#endif
