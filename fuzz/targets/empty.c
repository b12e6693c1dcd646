/* SPDX-License-Identifier: MIT */
/*
 * Proves nothing: the target that does nothing. Its rate is the most that an engine can give on
 * this machine; bench/run prints the rates of the other targets beside it.
 */
#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	(void)data;
	(void)size;
	return 0;
}
