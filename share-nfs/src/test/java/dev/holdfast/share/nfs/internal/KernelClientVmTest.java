package dev.holdfast.share.nfs.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.host.HostProcess;
import dev.holdfast.host.ProgramCall;
import dev.holdfast.initiator.HostCondition;
import dev.holdfast.processes.ProcessIdentity;
import dev.holdfast.share.ShareRequest;
import dev.holdfast.share.ShareStop;
import dev.holdfast.share.nfs.internal.ganesha.GaneshaServer;
import dev.holdfast.vm.testkit.VmHost;
import dev.holdfast.vm.testkit.VmOptions;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The client is a kernel in a virtual machine. A program in it holds a lock and appends numbers,
 * each synced. The server is killed twice in a row and then moves to another node. The second kill
 * and the move happen while clients may still reclaim.
 */
@Tag("slow")
@Timeout(600)
class KernelClientVmTest {
  private static final Duration LONG = Duration.ofMinutes(2);
  private static final int MORE = 20;

  /** Opens a file and takes its lock. */
  private static final String LOCK =
      "use IO::Handle; use Fcntl ':flock'; $| = 1; sub fail { print \"$_[0]: $!\\n\"; exit 1 }"
          + " open(my $f, '>>', $ARGV[0]) or fail('open');"
          + " flock($f, LOCK_EX | LOCK_NB) or fail('flock');";

  /** Prints each durable number, and the cause of a failure. */
  private static final String APPEND =
      " for (my $n = 1; ; $n++) { print $f \"$n\\n\" or fail('print');"
          + " $f->flush or fail('flush'); $f->sync or fail('sync'); print \"$n\\n\"; }";

  @TempDir Path folder;
  private long last;

  @Test
  void clientSeesNoErrorWhileTheServerIsKilledTwiceAndMoves() throws Exception {
    LoopDevice device = new LoopDevice(folder.resolve("volume.img"), ShareFixture.SIZE);
    ShareRequest request =
        ShareFixture.request("files", device)
            .withLease(Duration.ofSeconds(10))
            .withGrace(Duration.ofSeconds(90));
    ShareFixture one = new ShareFixture(folder.resolve("one"));
    ShareFixture two = new ShareFixture(folder.resolve("two"));
    try (VmHost vm = VmHost.start(VmOptions.of("nfsv4"))) {
      assertThat(one.start(request).serves()).isTrue();
      mount(vm, request.port());
      HostProcess program =
          vm.start(List.of("/usr/bin/perl", "-e", LOCK + APPEND, "/run/files/numbers"));
      BufferedReader printed =
          new BufferedReader(new InputStreamReader(program.output(), StandardCharsets.UTF_8));
      awaitMore(printed);
      assertThat(one.observe(request).clients()).containsExactly("127.0.0.1");
      for (int kill = 0; kill < 2; kill++) {
        killServer("one");
        assertThat(one.start(request).serves()).isTrue();
        awaitMore(printed);
      }
      one.server().stop(request.instance(), ShareStop.MOVE, LONG);
      assertThat(two.start(request.withEpoch(2)).serves()).isTrue();
      awaitMore(printed);
      program.kill();
      program.exit().join();
      assertThat(sh(vm, "cat /run/files/numbers").lines())
          .startsWith(
              LongStream.rangeClosed(1, last).mapToObj(Long::toString).toArray(String[]::new));
      sh(vm, "umount /run/files");
    } finally {
      one.close();
      two.close();
      device.close();
    }
  }

  private static String sh(VmHost vm, String script) throws Exception {
    return vm.check(ProgramCall.of(LONG, List.of("/bin/sh", "-c", script)));
  }

  private static void mount(VmHost vm, int port) throws Exception {
    String options = "vers=4.1,noresvport,hard,timeo=600,retrans=5,retry=0,port=" + port;
    sh(vm, "mkdir /run/files && mount -t nfs4 -o " + options + " 10.0.2.2:/files /run/files");
  }

  private void killServer(String node) throws Exception {
    ProcessIdentity process =
        new ShareRecords(folder.resolve(node + "/share-nfs/records"))
            .find("files")
            .flatMap(ShareRecord::process)
            .orElseThrow();
    GaneshaServer.kill(process);
    assertThat(HostCondition.holds(LONG, () -> !process.isAlive())).isTrue();
  }

  /** Ignores earlier numbers, because some of them may have waited in a buffer. */
  private void awaitMore(BufferedReader printed) throws Exception {
    while (printed.ready()) {
      last = number(printed);
    }
    for (int i = 0; i < MORE; i++) {
      last = number(printed);
    }
  }

  private static long number(BufferedReader printed) throws Exception {
    String line = printed.readLine();
    assertThat(line).as("number that the client has synced").matches("\\d+");
    return Long.parseLong(line);
  }
}
