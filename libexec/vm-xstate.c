/*
 * Lets user-mode Linux run on CPUs whose register state is larger than its own buffer.
 *
 * libexec/vm builds this library and preloads it into the VM's kernel. That kernel is an ordinary
 * process, which restores the registers of its programs by ptrace. The host's kernel accepts
 * PTRACE_SETREGSET of NT_X86_XSTATE only with its whole XSAVE area. With AMX (the flag amx_tile)
 * this area has 11,008 bytes. User-mode Linux 6.1 keeps only the first 2,696 bytes, so the host
 * answers EFAULT.
 *
 * This ptrace() extends a short area to the size of the traced process's area. It sets the
 * components beyond the short area to their initial state. User-mode Linux does not keep them for
 * each program, and one program must not see those of another.
 */
#define _GNU_SOURCE
#include <cpuid.h>
#include <elf.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum {
  XSAVE_LEAF = 0xd,       /* CPUID leaf with the positions of the components */
  XSTATE_BV = 512,        /* offset of the header's first word: components not in their initial state */
  HEADER_END = 512 + 64,  /* x87, SSE and the header, which every area has */
  COMPONENTS = 63
};

/* Static, because the stacks of user-mode Linux are smaller than this buffer. User-mode Linux calls
   ptrace() from one thread only. */
static char complete[64 * 1024] __attribute__((aligned(64)));

/* Returns the components within the first `length` bytes, as bits of XSTATE_BV. Caches the result
   for one length, because successive areas have the same length. CPUID is slow in a virtual
   machine, because it exits to the hypervisor. */
static uint64_t components_within(size_t length) {
  static size_t known_length;
  static uint64_t bits;
  unsigned component, size, offset, c, d;
  if (known_length == length) {
    return bits;
  }
  known_length = length;
  bits = 3; /* x87 and SSE, before the header */
  for (component = 2; component < COMPONENTS; component++) {
    if (__get_cpuid_count(XSAVE_LEAF, component, &size, &offset, &c, &d) && size != 0 &&
        (size_t) offset + size <= length) {
      bits |= UINT64_C(1) << component;
    }
  }
  return bits;
}

static long set_xstate(long pid, void *type, struct iovec *given) {
  struct iovec area = {complete, sizeof complete};
  uint64_t present;
  if (given->iov_len < HEADER_END ||
      syscall(SYS_ptrace, PTRACE_GETREGSET, pid, type, &area) < 0 ||
      given->iov_len >= area.iov_len) {
    return syscall(SYS_ptrace, PTRACE_SETREGSET, pid, type, given);
  }
  memcpy(complete, given->iov_base, given->iov_len);
  memcpy(&present, complete + XSTATE_BV, sizeof present);
  present &= components_within(given->iov_len);
  memcpy(complete + XSTATE_BV, &present, sizeof present);
  return syscall(SYS_ptrace, PTRACE_SETREGSET, pid, type, &area);
}

long ptrace(enum __ptrace_request request, ...) {
  va_list arguments;
  long pid, word, result;
  void *address, *data;
  va_start(arguments, request);
  pid = va_arg(arguments, pid_t);
  address = va_arg(arguments, void *);
  data = va_arg(arguments, void *);
  va_end(arguments);
  switch (request) {
    case PTRACE_SETREGSET:
      if ((uintptr_t) address == NT_X86_XSTATE) {
        return set_xstate(pid, address, data);
      }
      break;
    case PTRACE_PEEKTEXT: /* the system call stores the word; the function must return it */
    case PTRACE_PEEKDATA:
    case PTRACE_PEEKUSER:
      result = syscall(SYS_ptrace, request, pid, address, &word);
      return result < 0 ? result : word;
    default:
      break;
  }
  return syscall(SYS_ptrace, request, pid, address, data);
}
