/* SPDX-License-Identifier: MIT */
/* fsndiff fuzz: a bounded campaign without an engine. The parent's side (fuzz/command_fuzz.h). */
#include "fuzz/command_fuzz.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "fuzz/explain.h"
#include "fuzz/minimize.h"

static const char help[] =
	"usage: fsndiff fuzz [OPTION...]\n"
	"Makes programs, runs them on two executors and reports the first new divergence: saved,\n"
	"verified in fresh processes, minimised and explained. Needs no corpus and no engine.\n"
	"\n"
	"  --pair A,B       the executors (vanilla,optimized)\n"
	"  --strict         known divergences count as new\n"
	"  --time S         seconds to run (60, unless --runs is given)\n"
	"  --runs N         programs to run, over all workers\n"
	"  --jobs N         workers (one per processor)\n"
	"  --seed N         where the random numbers begin (from the clock)\n"
	"  --corpus DIR     inputs to run first and to build on; only read\n"
	"  --findings DIR   where findings are saved (fsndiff-findings)\n"
	"  --keep-going     do not stop at the first new divergence (one that only costs\n"
	"                   work never stops the search)\n"
	"\n"
	"The last line is: fuzz: execs=N exec/s=N known=K1:N new=N\n"
	"Exit 0: nothing new; 77: a new divergence or a crash; 3: findings cannot be saved.\n"
	"\n"
	"  fsndiff fuzz --time 60                      is the pair the same but for what is "
	"known?\n"
	"  fsndiff fuzz --strict --time 60             finds K1\n"
	"  fsndiff fuzz --pair vanilla,vanilla+pseudo_opt_out_2020 --strict\n"
	"  fsndiff fuzz --corpus corpus --jobs 2 --keep-going --time 3600\n";

static const char standard_findings[] = "fsndiff-findings";

enum { CRASHES_MAX = 100 };

static volatile sig_atomic_t interrupted;

struct campaign {
	struct fuzz_options options;
	struct input_list corpus;
	struct shared *shared;
	size_t shared_size;
	int notify[2];
	pid_t worker[JOBS_MAX];
	pid_t handler[BUCKETS_MAX + CRASHES_MAX];
	unsigned handlers; /* ever started */
	unsigned running_workers, running_handlers;
	unsigned new_buckets, crashes;
	bool seen; /* a new divergence that somebody could see: more than lost work */
	double start, next_line;
	bool terminal;
};

static void on_signal(int number)
{
	(void)number;
	interrupted = 1;
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* ---- progress ---- */

static uint64_t total_execs(const struct campaign *c)
{
	uint64_t execs = 0;

	for (unsigned i = 0; i < c->options.jobs; i++)
		execs += c->shared->slot[i].execs;
	return execs;
}

static void total_known(const struct campaign *c, char *out, size_t size)
{
	struct tally all = {0};

	for (unsigned i = 0; i < c->options.jobs; i++)
		for (unsigned k = 0; k < TALLY_MAX; k++)
			if (c->shared->slot[i].tally.known[k].count)
				tally_add(&all, c->shared->slot[i].tally.known[k].name,
					  c->shared->slot[i].tally.known[k].count);
	tally_text(&all, out, size);
}

static void print_counts(const struct campaign *c, FILE *out)
{
	double seconds = now() - c->start;
	uint64_t execs = total_execs(c);
	char known[256];

	total_known(c, known, sizeof(known));
	fprintf(out, "execs=%" PRIu64 " exec/s=%.0f known=%s new=%u", execs,
		seconds > 0 ? (double)execs / seconds : 0.0, known, c->new_buckets);
}

static void print_progress(struct campaign *c)
{
	double t = now();
	double left = (double)c->options.seconds - (t - c->start);

	if (t < c->next_line)
		return;
	c->next_line = t + (c->terminal ? 0.5 : 10.0);
	if (c->terminal)
		fputs("\r\033[K", stderr);
	fputs("fuzz: ", stderr);
	print_counts(c, stderr);
	if (c->options.seconds)
		fprintf(stderr, " left=%.0fs", left > 0 ? left : 0.0);
	if (!c->terminal)
		fputc('\n', stderr);
	fflush(stderr);
}

static void clear_progress(const struct campaign *c)
{
	if (c->terminal)
		fputs("\r\033[K", stderr);
}

/* ---- children ---- */

static pid_t fork_child(void)
{
	pid_t parent = getpid(), pid;

	fflush(NULL);
	pid = fork();
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != parent)
			_exit(EXIT_ENVIRONMENT);
		signal(SIGINT, SIG_IGN);
		signal(SIGTERM, SIG_IGN);
	}
	return pid;
}

static bool start_worker(struct campaign *c, unsigned number, unsigned round)
{
	pid_t pid = fork_child();

	if (pid == 0)
		fuzz_worker(&c->options, c->shared, number, round, &c->corpus, c->notify[1]);
	if (pid < 0)
		return false;
	c->worker[number] = pid;
	c->running_workers++;
	return true;
}

static void print_finding(const struct finding *f, const struct handled *h)
{
	struct finding minimal = *f;
	struct pair pair;
	struct verdict v;
	char error[1024];

	printf("new: %s%s%s on %s, %s, saved in %s\n", f->verdict->key,
	       f->verdict->known[0] ? ", which is " : "", f->verdict->known, f->pair, h->stability,
	       h->bucket);
	minimal.program = &h->minimal;
	findings_print_trace(&minimal, stdout);
	if (f->verdict->oracle == ORACLE_NONE || strcmp(h->stability, "solid") != 0 ||
	    !pair_open(&pair, f->pair, error, sizeof(error)))
		return;
	pair_judge(&pair, &h->minimal, &v);
	pair_explain(&pair, &h->minimal, &v);
	printf("\n");
	explain_print(&pair, &h->minimal, &v, stdout, false, command_is_terminal(stdout));
	pair_close(&pair);
}

static _Noreturn void handle(const struct campaign *c, const struct finding *f)
{
	static struct handled h;
	char error[FINDINGS_ERROR];

	if (!command_handle_finding(c->options.findings, f, &c->shared->hurry, &h, error,
				    sizeof(error))) {
		fprintf(stderr, "fsndiff fuzz: %s\n", error);
		c->shared->failed = 1;
		c->shared->stop = 1;
		_exit(EXIT_ENVIRONMENT);
	}
	clear_progress(c);
	print_finding(f, &h);
	fflush(stdout);
	_exit(EXIT_SAME);
}

static void start_handler(struct campaign *c, const struct program *p, const struct verdict *v)
{
	struct finding f = {p, v, c->options.pair, "worker"};
	pid_t pid;

	if (c->handlers == sizeof(c->handler) / sizeof(c->handler[0]))
		return;
	clear_progress(c);
	printf("found: %s\n", verdict_bucket(v));
	pid = fork_child();
	if (pid == 0)
		handle(c, &f);
	if (pid < 0)
		return;
	c->handler[c->handlers++] = pid;
	c->running_handlers++;
}

/* What a worker has found and saved. */
static void take_found(struct campaign *c, unsigned number)
{
	struct slot *s = &c->shared->slot[number];
	struct program p = s->found;
	struct verdict v = s->verdict;

	sem_post(&s->taken);
	c->new_buckets++;
	c->seen |= v.oracle != ORACLE_WORK;
	start_handler(c, &p, &v);
}

static void read_notices(struct campaign *c)
{
	uint8_t number[JOBS_MAX];
	ssize_t n = read(c->notify[0], number, sizeof(number));

	for (ssize_t i = 0; i < n; i++)
		take_found(c, number[i]);
}

/* A worker is gone though nobody asked it to: its program is in its slot. */
static void worker_crashed(struct campaign *c, unsigned number, const char *how)
{
	struct program p = c->shared->slot[number].current;
	struct verdict v = {.op = p.count, .op_id = OP_COUNT, .direction = "~"};
	struct probe *probe = calloc(1, sizeof(*probe));
	char error[512];

	snprintf(v.field, sizeof(v.field), "%s", how);
	snprintf(v.key, sizeof(v.key), "crash/unknown/%s/~", how);
	if (probe && probe_program(c->options.pair, &p, probe, error, sizeof(error)) &&
	    probe->crashed)
		v = probe->verdict;
	free(probe);
	c->crashes++;
	if (!fuzz_claim(c->shared, v.key))
		return;
	c->new_buckets++;
	start_handler(c, &p, &v);
}

static void worker_ended(struct campaign *c, unsigned number, int status)
{
	char how[16];

	c->worker[number] = 0;
	c->running_workers--;
	if (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_SAME)
		return;
	if (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_ENVIRONMENT) {
		c->shared->failed = c->shared->stop = 1;
		return;
	}
	probe_how(status, how, sizeof(how));
	worker_crashed(c, number, how);
	if (!c->options.keep_going || c->crashes >= CRASHES_MAX)
		c->shared->stop = 1;
	if (!c->shared->stop && !start_worker(c, number, c->crashes))
		c->shared->stop = 1;
}

static void child_ended(struct campaign *c, pid_t pid, int status)
{
	for (unsigned i = 0; i < c->options.jobs; i++)
		if (c->worker[i] == pid) {
			worker_ended(c, i, status);
			return;
		}
	for (unsigned i = 0; i < c->handlers; i++)
		if (c->handler[i] == pid)
			c->running_handlers--;
}

static void reap(struct campaign *c)
{
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
		child_ended(c, pid, status);
}

/* ---- the campaign ---- */

static bool is_over(const struct campaign *c)
{
	return interrupted || c->shared->failed || (c->seen && !c->options.keep_going) ||
	       (c->options.seconds && now() - c->start >= (double)c->options.seconds);
}

/* At the end workers are told to stop; handlers may finish what they do, unless somebody pressed
 * Ctrl-C. */
static void watch(struct campaign *c)
{
	struct pollfd ready = {.fd = c->notify[0], .events = POLLIN};

	while (c->running_workers || c->running_handlers) {
		/* a worker does not end before its notice was read */
		if (poll(&ready, 1, c->terminal ? 100 : 200) > 0)
			read_notices(c);
		reap(c);
		if (is_over(c))
			c->shared->stop = 1;
		if (interrupted)
			c->shared->hurry = 1;
		if (!c->shared->stop)
			print_progress(c);
	}
}

static bool map_shared(struct campaign *c)
{
	void *map;

	c->shared_size = sizeof(struct shared) + c->options.jobs * sizeof(struct slot);
	map = mmap(NULL, c->shared_size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (map == MAP_FAILED || pipe2(c->notify, O_CLOEXEC) != 0)
		return false;
	c->shared = map;
	for (unsigned i = 0; i < c->options.jobs; i++)
		sem_init(&c->shared->slot[i].taken, 1, 0);
	return fcntl(c->notify[0], F_SETFL, O_NONBLOCK) == 0;
}

static void catch_signals(void)
{
	struct sigaction action = {.sa_handler = on_signal};

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
}

static int summarise(struct campaign *c)
{
	clear_progress(c);
	if (interrupted)
		fputs("fuzz: interrupted\n", stderr);
	printf("fuzz: ");
	print_counts(c, stdout);
	putchar('\n');
	fflush(stdout);
	if (c->shared->failed)
		return EXIT_ENVIRONMENT;
	if (c->new_buckets)
		return EXIT_DIVERGED;
	if (!total_execs(c) && !interrupted)
		return command_fail(&command_fuzz, EXIT_USAGE, "no program was run");
	return EXIT_SAME;
}

static int run_campaign(struct campaign *c)
{
	char error[FINDINGS_ERROR];
	int code;

	if (!findings_open(c->options.findings, error, sizeof(error)))
		return command_fail(&command_fuzz, EXIT_ENVIRONMENT, "--findings: %s", error);
	if (!map_shared(c))
		return command_fail(&command_fuzz, EXIT_ENVIRONMENT, "shared memory: %s",
				    strerror(errno));
	catch_signals();
	c->start = now();
	c->next_line = c->start + (c->terminal ? 0.5 : 10.0);
	printf("fuzz: pair %s, %" PRIu64 " workers, seed %" PRIu64 "\n", c->options.pair,
	       c->options.jobs, c->options.seed);
	for (unsigned i = 0; i < c->options.jobs; i++)
		if (!start_worker(c, i, 0))
			return command_fail(&command_fuzz, EXIT_ENVIRONMENT, "fork: %s",
					    strerror(errno));
	watch(c);
	code = summarise(c);
	findings_close(c->options.findings);
	if (c->options.findings == standard_findings)
		rmdir(standard_findings);
	munmap(c->shared, c->shared_size);
	return code;
}

/* ---- options ---- */

static const struct option options[] = {
	{"pair", required_argument, NULL, 'p'},
	{"strict", no_argument, NULL, 's'},
	{"time", required_argument, NULL, 't'},
	{"runs", required_argument, NULL, 'r'},
	{"jobs", required_argument, NULL, 'j'},
	{"seed", required_argument, NULL, 'S'},
	{"corpus", required_argument, NULL, 'c'},
	{"findings", required_argument, NULL, 'f'},
	{"keep-going", no_argument, NULL, 'k'},
	{"help", no_argument, NULL, 'h'},
	{0},
};

static bool number(const char *option, uint64_t least, uint64_t most, uint64_t *value)
{
	return command_number(&command_fuzz, option, optarg, least, most, value);
}

static int parse_option(struct fuzz_options *o, int c)
{
	bool ok = true;

	switch (c) {
	case 'p': o->pair = optarg; break;
	case 's': o->strict = true; break;
	case 't': ok = number("--time", 1, 100000000, &o->seconds); break;
	case 'r': ok = number("--runs", 1, UINT64_MAX / 2, &o->runs); break;
	case 'j': ok = number("--jobs", 1, JOBS_MAX, &o->jobs); break;
	case 'S': ok = number("--seed", 0, UINT64_MAX, &o->seed); break;
	case 'c': o->corpus = optarg; break;
	case 'f': o->findings = optarg; break;
	case 'k': o->keep_going = true; break;
	case 'h': return command_help(&command_fuzz);
	default: return command_usage(&command_fuzz, "nothing was run");
	}
	return ok ? -1 : EXIT_USAGE;
}

static int parse_options(struct fuzz_options *o, int argc, char **argv)
{
	int c, code;

	while ((c = getopt_long(argc, argv, "h", options, NULL)) != -1) {
		code = parse_option(o, c);
		if (code >= 0)
			return code;
	}
	if (optind != argc)
		return command_usage(&command_fuzz, "%s: no FILE here; --corpus names a directory",
				     argv[optind]);
	if (!o->seconds && !o->runs)
		o->seconds = 60;
	return -1;
}

/* A corpus must be readable as a whole before anything is run. */
static int load_corpus(struct campaign *c)
{
	char error[INPUT_ERROR];
	struct input in;

	if (!c->options.corpus)
		return -1;
	if (!input_list_add(&c->corpus, c->options.corpus, error, sizeof(error)))
		return command_fail(&command_fuzz, EXIT_USAGE, "--corpus: %s", error);
	for (unsigned i = 0; i < c->corpus.count; i++) {
		if (!input_load(&in, c->corpus.path[i], error, sizeof(error)))
			return command_fail(&command_fuzz, EXIT_USAGE, "--corpus: %s", error);
		input_free(&in);
	}
	return -1;
}

static int run(int argc, char **argv)
{
	static struct campaign c;
	long processors = sysconf(_SC_NPROCESSORS_ONLN);
	struct pair pair;
	char error[1024];
	int code;

	c.options = (struct fuzz_options){
		.pair = PAIR_DEFAULT,
		.findings = standard_findings,
		.jobs = processors < 1		? 1
			: processors > JOBS_MAX ? JOBS_MAX
						: (uint64_t)processors,
		.seed = (uint64_t)time(NULL),
	};
	code = parse_options(&c.options, argc, argv);
	if (code >= 0)
		return code;
	if (!pair_open(&pair, c.options.pair, error, sizeof(error)))
		return command_usage(&command_fuzz, "--pair: %s", error);
	pair_close(&pair);
	code = load_corpus(&c);
	if (code >= 0)
		return code;
	c.terminal = command_is_terminal(stderr);
	code = run_campaign(&c);
	input_list_free(&c.corpus);
	return code;
}

const struct command command_fuzz = {
	"fuzz",
	"make programs and look for a new divergence, for a bounded time",
	help,
	run,
};
