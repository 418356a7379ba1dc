/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shared by the reproducers. A reproducer prints one line and exits with 0 if
 * the kernel is right, 1 if it has the bug, 2 if it cannot tell. Run as root;
 * build with: gcc -D_GNU_SOURCE -static FILE.c
 */
#ifndef REPRODUCE_H
#define REPRODUCE_H

#include <errno.h>
#include <fcntl.h>
#include <linux/mempolicy.h>
#include <linux/types.h>
#include <linux/userfaultfd.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/swap.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifndef MADV_PAGEOUT
#define MADV_PAGEOUT		21
#endif
#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ	22
#endif
#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE		25
#endif
#ifndef MADV_GUARD_INSTALL
#define MADV_GUARD_INSTALL	102
#define MADV_GUARD_REMOVE	103
#endif

#ifndef UFFD_FEATURE_WP_UNPOPULATED
#define UFFD_FEATURE_WP_UNPOPULATED	0x2000
#endif
#ifndef UFFD_FEATURE_WP_ASYNC
#define UFFD_FEATURE_WP_ASYNC	0x8000
#endif
#ifndef UFFDIO_MOVE
struct uffdio_move {
	__u64 dst, src, len, mode;
	__s64 move;
};

#define UFFDIO_MOVE		_IOWR(UFFDIO, 0x05, struct uffdio_move)
#endif
#ifndef UFFDIO_POISON
struct uffdio_poison {
	struct uffdio_range range;
	__u64 mode;
	__s64 updated;
};

#define UFFDIO_POISON		_IOWR(UFFDIO, 0x08, struct uffdio_poison)
#define UFFD_FEATURE_POISON	0x4000
#endif
#ifndef PAGEMAP_SCAN
struct page_region {
	__u64 start, end, categories;
};

struct pm_scan_arg {
	__u64 size, flags, start, end, walk_end, vec, vec_len, max_pages;
	__u64 category_inverted, category_mask, category_anyof_mask, return_mask;
};

#define PAGEMAP_SCAN		_IOWR('f', 16, struct pm_scan_arg)
#define PAGE_IS_WRITTEN		2
#define PAGE_IS_FILE		4
#define PAGE_IS_PRESENT		8
#define PM_SCAN_WP_MATCHING	1
#define PM_SCAN_CHECK_WPASYNC	2
#endif

#define SWAP_DISK		"/dev/ram1"

enum { RIGHT, BUG, CANNOT_TELL };

/* Sizes in bytes. A PMD maps 2M. */
static const unsigned long PAGE = 4096, FOLIO = 64UL << 10, PMD = 2UL << 20;

/* Bits of /proc/PID/pagemap entries (PM_*) and /proc/kpageflags entries (KPF_*). */
static const __u64 PM_PFN = (1ULL << 55) - 1, PM_SOFT_DIRTY = 1ULL << 55;
static const __u64 PM_UFFD_WP = 1ULL << 57;
static const __u64 PM_SWAP = 1ULL << 62, PM_PRESENT = 1ULL << 63;
static const __u64 KPF_HEAD = 1ULL << 15, KPF_TAIL = 1ULL << 16;

static inline int verdict(int status, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	printf("\n");
	return status;
}

static inline void need(int good, const char *what)
{
	if (!good)
		exit(verdict(CANNOT_TELL, "%s: %s", what, errno ? strerror(errno) : "no"));
}

static inline void write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY);

	need(fd >= 0 && write(fd, text, strlen(text)) > 0 && !close(fd), path);
}

/* Return: entry @index of @path, a file of 64-bit entries. */
static inline __u64 entry(const char *path, __u64 index)
{
	int fd = open(path, O_RDONLY);
	__u64 value;

	need(fd >= 0 && pread(fd, &value, 8, index * 8) == 8 && !close(fd), path);
	return value;
}

static inline __u64 page_entry(const char *addr)
{
	return entry("/proc/self/pagemap", (uintptr_t)addr / PAGE);
}

/* PAGEMAP_SCAN with PM_SCAN_*. Return: number of pages that it reports as written. */
static inline unsigned long count_written(const char *addr, size_t size, __u64 flags)
{
	static struct page_region regions[32768];
	struct pm_scan_arg scan = {
		.size = sizeof(scan), .flags = flags,
		.start = (uintptr_t)addr, .end = (uintptr_t)addr + size,
		.vec = (uintptr_t)regions, .vec_len = 32768,
		.category_mask = PAGE_IS_WRITTEN, .return_mask = PAGE_IS_WRITTEN,
	};
	int fd = open("/proc/self/pagemap", O_RDONLY), nr = ioctl(fd, PAGEMAP_SCAN, &scan);
	unsigned long written = 0;

	need(nr >= 0 && scan.walk_end == scan.end && !close(fd), "PAGEMAP_SCAN");
	while (nr--)
		written += (regions[nr].end - regions[nr].start) / PAGE;
	return written;
}

/* Prepare fault injection for pages. Return: a file for fail_nth(). */
static inline int inject_faults(void)
{
	int fd = open("/proc/self/fail-nth", O_WRONLY);

	mount("debugfs", "/sys/kernel/debug", "debugfs", 0, NULL);
	write_file("/sys/kernel/debug/fail_page_alloc/ignore-gfp-wait", "N");
	write_file("/sys/kernel/debug/fail_page_alloc/min-order", "0");
	need(fd >= 0, "/proc/self/fail-nth");
	return fd;
}

/* The @nth allocation from now on fails; with 0, none. */
static inline void fail_nth(int fd, int nth)
{
	char text[9];

	snprintf(text, sizeof(text), "%d", nth);
	need(write(fd, text, strlen(text)) > 0, "/proc/self/fail-nth");
}

#define KSM "/sys/kernel/mm/ksm/"

/* Let ksmd run until the pages at @a and @b are one; then it is as before. */
static inline void merge_pages(const char *a, const char *b)
{
	int i;

	write_file(KSM "sleep_millisecs", "0");
	write_file(KSM "run", "1");
	for (i = 0; i < 500 && page_entry(a) != page_entry(b); i++)
		usleep(10000);
	write_file(KSM "run", "0");
	write_file(KSM "sleep_millisecs", "20");
	errno = 0;
	need(page_entry(a) & PM_PRESENT && (page_entry(a) & PM_PFN) == (page_entry(b) & PM_PFN),
	     "pages merged by ksmd");
}

/* Return: the number of zero pages that KSM has mapped, in all processes. */
static inline long ksm_zero_pages(void)
{
	FILE *file = fopen(KSM "ksm_zero_pages", "r");
	long pages;

	need(file && fscanf(file, "%ld", &pages) == 1 && !fclose(file), KSM "ksm_zero_pages");
	return pages;
}

static inline void disable_zero_pages(void)
{
	write_file(KSM "run", "0");
	write_file(KSM "sleep_millisecs", "20");
	write_file(KSM "use_zero_pages", "0");
}

/* Clear @size bytes at @mem, and let ksmd replace them by the zero page. */
static inline void merge_zero_pages(char *mem, size_t size)
{
	long all = ksm_zero_pages() + size / PAGE;
	int i;

	memset(mem, 0, size);
	need(!madvise(mem, size, MADV_MERGEABLE), "MADV_MERGEABLE");
	atexit(disable_zero_pages);
	write_file(KSM "sleep_millisecs", "0");
	write_file(KSM "use_zero_pages", "1");
	write_file(KSM "run", "1");
	for (i = 0; i < 500 && ksm_zero_pages() < all; i++)
		usleep(10000);
	write_file(KSM "run", "0");
	errno = 0;
	need(ksm_zero_pages() == all, "merge with the zero page by ksmd");
}

/* Return: number of pages in @size bytes at @mem with @bit set in pagemap. */
static inline unsigned long count(const char *mem, size_t size, __u64 bit)
{
	unsigned long pages = 0;
	size_t offset;

	for (offset = 0; offset < size; offset += PAGE)
		pages += !!(page_entry(mem + offset) & bit);
	return pages;
}

/* Return: 1 if a system call can read the byte at @mem; no signal comes if it cannot. */
static inline int can_read(const char *mem)
{
	int ends[2], written;

	need(!pipe(ends), "pipe()");
	written = write(ends[1], mem, 1);
	close(ends[0]);
	close(ends[1]);
	return written == 1;
}

/* As can_read(), in one system call: as a path, a page that cannot be read is a bad address. */
static inline int can_read_path(const char *mem)
{
	return !access(mem, F_OK) || errno != EFAULT;
}

/* Return: 1 if @size bytes at @mem map one large folio from its first page on. */
static inline int is_one_folio(const char *mem, size_t size)
{
	size_t offset;

	for (offset = 0; offset < size; offset += PAGE) {
		__u64 pfn = page_entry(mem + offset) & PM_PFN;

		if (!pfn || !(entry("/proc/kpageflags", pfn) & (offset ? KPF_TAIL : KPF_HEAD)))
			return 0;
	}
	return 1;
}

/* Map @size bytes of anonymous memory, aligned to 2M. */
static inline char *map_aligned(size_t size)
{
	char *mem = mmap(NULL, size + PMD, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	need(mem != MAP_FAILED, "mmap()");
	return (char *)(((uintptr_t)mem + PMD - 1) & -PMD);
}

/* A thread that unmaps 2M at @mem again and again, and so frees the page table. */
static inline void *unmap_again(void *mem)
{
	while (!madvise(mem, PMD, MADV_DONTNEED))
		;
	return NULL;
}

/* Map one folio of 64K of shmem. */
static inline char *map_shmem_folio(void)
{
	static const char orders[] =
		"/sys/kernel/mm/transparent_hugepage/hugepages-64kB/shmem_enabled";
	int fd = memfd_create("shmem", 0);
	char *mem = map_aligned(FOLIO);

	write_file(orders, "advise");
	need(!ftruncate(fd, FOLIO), "ftruncate()");
	mem = mmap(mem, FOLIO, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0);
	need(mem != MAP_FAILED && !madvise(mem, FOLIO, MADV_HUGEPAGE), "mmap(), MADV_HUGEPAGE");
	memset(mem, 1, FOLIO);
	write_file(orders, "never");
	need(is_one_folio(mem, FOLIO), "folio of 64K");
	return mem;
}

/*
 * Poison page @nr of the 64K folio at @mem, in a child that maps it. A pipe keeps a
 * reference, so that the folio is not split.
 */
static inline void poison_page(char *mem, int nr)
{
	struct iovec part = { mem + 5 * PAGE, 1 };
	int ends[2], fd, status = 0;
	char text[32];
	__u64 pfn;

	need(!pipe(ends), "pipe()");
	if (!fork()) {
		fd = open("/sys/devices/system/memory/hard_offline_page", O_WRONLY);
		need(vmsplice(ends[1], &part, 1, 0) == 1, "vmsplice()");
		need(is_one_folio(mem, FOLIO), "folio of 64K");
		pfn = page_entry(mem + nr * PAGE) & PM_PFN;
		snprintf(text, sizeof(text), "%#llx", pfn * PAGE);
		need(fd >= 0 && write(fd, text, strlen(text)) < 0, "poisoned, not split folio");
		_exit(RIGHT);
	}
	need(wait(&status) > 0 && !status, "poisoned page");
}

/* Populate @size bytes of anonymous memory at @mem with folios of @kilobytes KiB. */
static inline void populate(char *mem, size_t size, size_t kilobytes)
{
	char path[99];
	size_t offset;

	snprintf(path, sizeof(path),
		 "/sys/kernel/mm/transparent_hugepage/hugepages-%zukB/enabled", kilobytes);
	write_file(path, "madvise");
	need(!madvise(mem, size, MADV_HUGEPAGE), "MADV_HUGEPAGE");
	memset(mem, 1, size);
	errno = 0;
	for (offset = 0; offset < size; offset += kilobytes * 1024)
		need(is_one_folio(mem + offset, kilobytes * 1024), "allocation of large folios");
}

static inline char *map_folios(size_t size, size_t kilobytes)
{
	char *mem = map_aligned(size);

	populate(mem, size, kilobytes);
	return mem;
}

/* The nodes that memory moves between, as masks. */
static const unsigned long NODES[] = { 1, 2 };

/* Map @size bytes of anonymous memory on node 0. No child maps it, so that it moves. */
static inline char *map_movable(size_t size)
{
	char *mem = map_aligned(size);

	need(!syscall(SYS_set_mempolicy, MPOL_PREFERRED, &NODES[0], 64), "set_mempolicy()");
	need(!madvise(mem, size, MADV_DONTFORK), "MADV_DONTFORK");
	return mem;
}

/* Let a child move the memory at @mem from node @from to the other one. Return: its pid. */
static inline int begin_move(char *mem, int from)
{
	time_t end = time(NULL) + 20;	/* seconds */
	int mover = fork(), node = from;

	if (!mover)
		_exit(syscall(SYS_migrate_pages, getppid(), 64, &NODES[from], &NODES[!from]) < 0);
	while (node == from && time(NULL) < end)
		syscall(SYS_move_pages, 0, 1, &mem, NULL, &node, 0);
	return mover;
}

static inline void end_move(int mover)
{
	int status;

	need(waitpid(mover, &status, 0) == mover && !status, "migrate_pages()");
}

/* Clear all soft-dirty bits of the process; check @size bytes at @mem. */
static inline void clear_soft_dirty(char *mem, size_t size)
{
	need(count(mem, size, PM_SOFT_DIRTY) == size / PAGE, "soft-dirty bit of written pages");
	write_file("/proc/self/clear_refs", "4");
	errno = 0;
	need(!count(mem, size, PM_SOFT_DIRTY), "write of 4 to clear_refs clears soft-dirty");
}

static inline void disable_swap(void)
{
	swapoff(SWAP_DISK);
}

/* Write 16M of swap space to the RAM disk and use it, until the program ends. */
static inline void enable_swap(void)
{
	static char header[4096];
	int fd = open(SWAP_DISK, O_WRONLY);

	*(__u32 *)(header + 1024) = 1;	/* version */
	*(__u32 *)(header + 1028) = 4095;	/* last page */
	memcpy(header + 4086, "SWAPSPACE2", 10);
	need(fd >= 0 && write(fd, header, 4096) == 4096 && !fsync(fd) && !close(fd), SWAP_DISK);
	need(!swapon(SWAP_DISK, 0), "swapon()");
	atexit(disable_swap);
}

/* Return: number of folios of 2M that were swapped out as a whole. */
static inline unsigned long swapped_out(void)
{
	static const char * const paths[] = {
		"/sys/kernel/mm/transparent_hugepage/hugepages-2048kB/stats/swpout",
		"/sys/kernel/mm/transparent_hugepage/hugepages-2048kB/stats/zswpout",
	};
	unsigned long sum = 0, value;
	size_t i;

	for (i = 0; i < 2; i++) {
		FILE *file = fopen(paths[i], "r");

		need(file && fscanf(file, "%lu", &value) == 1 && !fclose(file), paths[i]);
		sum += value;
	}
	return sum;
}

/*
 * Write 2M of ones to a file in memory, swap its folio out as a whole, and map the file.
 * Return: a descriptor of the file.
 */
static inline int swap_out_file(char **mem)
{
	char *ones = map_aligned(PMD);
	unsigned long before;
	int fd;

	enable_swap();
	write_file("/sys/kernel/mm/transparent_hugepage/shmem_enabled", "always");
	fd = memfd_create("file", 0);
	memset(ones, 1, PMD);
	/* One write allocates one folio. */
	need(fd >= 0 && pwrite(fd, ones, PMD, 0) == (ssize_t)PMD, "write to a memfd");
	munmap(ones, PMD);
	*mem = mmap(NULL, PMD, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	need(*mem != MAP_FAILED && !madvise(*mem, PMD, MADV_POPULATE_READ), "mmap()");
	errno = 0;
	need(is_one_folio(*mem, PMD), "allocation of a large folio");
	before = swapped_out();
	need(!madvise(*mem, PMD, MADV_PAGEOUT), "MADV_PAGEOUT");
	errno = 0;
	need(!count(*mem, PMD, PM_PRESENT) && swapped_out() == before + 1,
	     "swap-out of the folio as a whole");
	return fd;
}

/* Register @size bytes at @mem with UFFDIO_REGISTER_MODE_*. Return: the userfaultfd. */
static inline int register_mode(char *mem, size_t size, __u64 features, __u64 mode)
{
	struct uffdio_api api = { .api = UFFD_API, .features = features };
	struct uffdio_register reg = { .range = { (uintptr_t)mem, size }, .mode = mode };
	int uffd = syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK);

	need(uffd >= 0 && !ioctl(uffd, UFFDIO_API, &api), "userfaultfd()");
	need(!ioctl(uffd, UFFDIO_REGISTER, &reg), "UFFDIO_REGISTER");
	return uffd;
}

/* Register @size bytes at @mem for write protection. Return: the userfaultfd. */
static inline int register_wp(char *mem, size_t size, __u64 features)
{
	return register_mode(mem, size, features, UFFDIO_REGISTER_MODE_WP);
}

/* Move @size bytes at @from to @to, which are registered. */
static inline void move(int uffd, char *to, char *from, size_t size)
{
	struct uffdio_move range = { (uintptr_t)to, (uintptr_t)from, size, 0, 0 };

	need(!ioctl(uffd, UFFDIO_MOVE, &range), "UFFDIO_MOVE");
}

/* Write-protect @size bytes at @mem, which are registered. */
static inline void protect(int uffd, char *mem, size_t size)
{
	struct uffdio_writeprotect range = {
		.range = { (uintptr_t)mem, size }, .mode = UFFDIO_WRITEPROTECT_MODE_WP
	};

	need(!ioctl(uffd, UFFDIO_WRITEPROTECT, &range), "UFFDIO_WRITEPROTECT");
	need(count(mem, size, PM_UFFD_WP) == size / PAGE, "uffd-wp bit of protected pages");
}

#endif
