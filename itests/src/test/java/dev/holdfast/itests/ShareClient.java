package dev.holdfast.itests;

import dev.holdfast.error.StorageException;
import dev.holdfast.host.HostProcess;
import dev.holdfast.host.ProgramCall;
import dev.holdfast.vm.testkit.VmHost;
import dev.holdfast.vm.testkit.VmOptions;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The kernel's NFS client in a virtual machine. A program in it appends numbers to a file of the
 * share and syncs each one; it ends at the first error. A connection of the machine comes from this
 * machine's loopback address.
 */
final class ShareClient implements AutoCloseable {
  private static final String GATEWAY = "10.0.2.2";
  private static final Duration LONG = Duration.ofMinutes(2);

  /** Longer than any test, also on a slow host. */
  private static final Duration LIFETIME = Duration.ofMinutes(30);

  private static final String WRITER =
      "use IO::Handle; $| = 1; sub fail { print \"$_[0]: $!\\n\"; exit 1 }"
          + " open(my $f, '>>', $ARGV[0]) or fail('open');"
          + " for (my $n = 1; ; $n++) { print $f \"$n\\n\" or fail('print');"
          + " $f->flush or fail('flush'); $f->sync or fail('sync'); print \"$n\\n\"; }";

  /** Asks for the lock of a range: file, first byte, number of bytes (0: to the end). */
  private static final String LOCK =
      "use Fcntl; use Errno; $| = 1; open(my $f, '+>>', $ARGV[0]) or die $!;"
          + " my $lock = pack('s s x4 q q l x4', F_WRLCK, 0, $ARGV[1], $ARGV[2], 0);"
          + " my $has = fcntl($f, F_SETLK, $lock);"
          + " $has || $!{EAGAIN} || $!{EACCES} or die $!;";

  private static final String LOCKER = LOCK + " print $has ? 'l' : 'n'; sleep;";

  private final VmHost vm;
  private final AtomicLong acknowledged = new AtomicLong();
  private final AtomicLong longestPause = new AtomicLong();
  private volatile String failure = "";
  private HostProcess writer;
  private HostProcess holder;
  private Thread reader;

  private ShareClient(VmHost vm) {
    this.vm = vm;
  }

  static ShareClient start() throws StorageException {
    return start(LIFETIME);
  }

  /** Starts a machine that ends after a time at the latest. */
  static ShareClient start(Duration lifetime) throws StorageException {
    return new ShareClient(VmHost.start(new VmOptions(512, List.of("nfsv4"), List.of(), lifetime)));
  }

  /** Runs a script and returns its output. */
  String sh(String script) throws StorageException {
    return vm.check(ProgramCall.of(LONG, List.of("/bin/sh", "-c", script)));
  }

  /** Mounts what the node of this machine exports at a port. */
  void mount(int port, String name, String directory) throws StorageException {
    mount(GATEWAY, port, "/" + name, "4.1", directory);
  }

  /** Mounts a share by its endpoint, which this machine reaches, with a version of NFS. */
  void mount(URI endpoint, String version, String directory) throws StorageException {
    mount(endpoint.getHost(), endpoint.getPort(), endpoint.getPath(), version, directory);
  }

  private void mount(String server, int port, String path, String version, String directory)
      throws StorageException {
    sh(
        "mkdir -p %s && mount -t nfs4 -o vers=%s,noresvport,hard,timeo=600,retrans=5,retry=0,port=%d %s:%s %s"
            .formatted(directory, version, port, server, path, directory));
  }

  /** Takes a lock of a whole file, which the server grants, and keeps it. */
  void lock(String file) throws StorageException {
    lock(file, 0, 0);
  }

  /**
   * Takes a lock of a range, which the server grants, and keeps it.
   *
   * @param length 0: to the end of the file, also when it grows
   */
  void lock(String file, long start, long length) throws StorageException {
    holder = vm.start(perl(LOCKER, file, start, length));
    try {
      int first = holder.output().read();
      if (first != 'l') {
        throw new AssertionError("the lock of " + file + " is not granted");
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns whether this client can have the lock of a file, which it gives back at once. */
  boolean canLock(String file) throws StorageException {
    return canLock(file, 0, 0);
  }

  /** Returns whether this client can have the lock of a range, which it gives back at once. */
  boolean canLock(String file, long start, long length) throws StorageException {
    List<String> command = perl(LOCK + " print $has ? 'yes' : 'no'", file, start, length);
    return vm.check(ProgramCall.of(LONG, command)).strip().equals("yes");
  }

  private static List<String> perl(String script, String file, long start, long length) {
    return List.of(
        "/usr/bin/perl", "-e", script, file, Long.toString(start), Long.toString(length));
  }

  /** Returns the number of the mount below a directory: a mount that is made again has another. */
  String mountNumber(String directory) throws StorageException {
    return sh("awk '$5 == \"%s\" { print $1, $3 }' /proc/self/mountinfo".formatted(directory));
  }

  /** Returns the programs that wait in the kernel and cannot be interrupted. */
  String uninterruptible() throws StorageException {
    return sh("ps -eo state=,pid=,args= | grep '^D' || true");
  }

  /** Returns whether the program that holds the lock still runs. */
  boolean holdsLock() {
    return !holder.exit().isDone();
  }

  void unlock() {
    holder.kill();
    holder.exit().join();
  }

  void write(String file) throws StorageException {
    writer = vm.start(List.of("/usr/bin/perl", "-e", WRITER, file));
    reader = new Thread(this::read, "share-client");
    reader.start();
  }

  private void read() {
    try (BufferedReader lines =
        new BufferedReader(new InputStreamReader(writer.output(), StandardCharsets.UTF_8))) {
      long before = System.nanoTime();
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        if (!line.matches("\\d+")) {
          failure = line;
          return;
        }
        acknowledged.set(Long.parseLong(line));
        long now = System.nanoTime();
        longestPause.accumulateAndGet(now - before, Math::max);
        before = now;
      }
    } catch (IOException e) {
      // the test ends the program
    }
  }

  /**
   * Writes a file of zeroes and syncs it, for at most 60 s.
   *
   * @return what the program printed; "still waits" when it has not ended by then
   */
  String fillAndSync(String file, int mebibytes) throws StorageException {
    return sh(
        ("timeout -k 1 60 dd if=/dev/zero of=%s bs=1M count=%d conv=fsync 2>&1;"
                + " [ $? -lt 124 ] || echo still waits")
            .formatted(file, mebibytes));
  }

  /** Returns how many numbers were acknowledged to the program by now. */
  long acknowledged() {
    return acknowledged.get();
  }

  /** Has {@link #longestPause} begin now. */
  void forgetPauses() {
    longestPause.set(0);
  }

  /** Returns the longest time between two numbers. */
  Duration longestPause() {
    return Duration.ofNanos(longestPause.get());
  }

  /** Waits until the program has written more. */
  void awaitProgress() {
    long wanted = acknowledged.get() + 20;
    Await.until(
        "the writer continues",
        Duration.ofMinutes(2),
        () -> {
          if (writer.exit().isDone()) {
            throw new AssertionError(
                "the writer saw an error after %d: %s; its kernel logged: %s"
                    .formatted(acknowledged.get(), failure, kernelLog()));
          }
          return acknowledged.get() >= wanted;
        });
  }

  /** Returns the lines since the start of the machine that can explain an error. */
  private String kernelLog() {
    try {
      return sh("dmesg | grep -iE 'nfs:|nfsv4|nfs4|rpc:|error|fail' | tail -n 20");
    } catch (StorageException e) {
      return e.getMessage();
    }
  }

  /** Ends the program; returns how many numbers were acknowledged to it. */
  long stop() throws InterruptedException {
    writer.kill();
    writer.exit().join();
    reader.join();
    return acknowledged.get();
  }

  @Override
  public void close() throws StorageException {
    vm.close();
  }
}
