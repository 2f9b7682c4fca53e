package dev.holdfast.vm.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.host.LocalHost;
import dev.holdfast.host.NfsMounts;
import dev.holdfast.initiator.HostProgram;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Unmounts on this host whose programs do not end in time, as with a server that is gone. */
@Tag("slow")
class NfsMountsTest {
  @TempDir Path directory;

  @Test
  void directoryIsFreeAlthoughTheUnmountWaitsForTheServer() throws Exception {
    assumeTrue("root".equals(System.getProperty("user.name")), "mounting needs root");
    String unused =
        HostProgram.check(
            Duration.ofSeconds(20), List.of("mount", "-t", "tmpfs", "tmpfs", directory.toString()));
    RecordingHost host = new RecordingHost(new LocalHost());
    StorageException late = new StorageException(ErrorCode.TIMEOUT, "umount did not end in time");
    host.fail(NfsMountsTest::isPlainUnmount, RecordingHost.Moment.BEFORE, late);
    host.fail(command -> command.contains("-l"), RecordingHost.Moment.AFTER, late);
    NfsMounts mounts = new NfsMounts(host);
    mounts.release(directory);
    assertThat(mounts.at(directory)).isEmpty();
  }

  private static boolean isPlainUnmount(List<String> command) {
    return command.get(0).endsWith("umount") && !command.contains("-l");
  }
}
