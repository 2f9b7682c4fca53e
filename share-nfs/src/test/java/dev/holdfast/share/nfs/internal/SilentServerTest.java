package dev.holdfast.share.nfs.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.error.StorageException;
import dev.holdfast.host.Host;
import dev.holdfast.host.HostFiles;
import dev.holdfast.host.HostProcess;
import dev.holdfast.host.LocalHost;
import dev.holdfast.host.ProgramCall;
import dev.holdfast.host.ProgramResult;
import dev.holdfast.initiator.HostCondition;
import dev.holdfast.share.ShareRequest;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A server that waits before it listens, like a server on a host with a hanging mount. Its grace
 * period would pass before it serves, so clients would lose their locks.
 */
@Tag("slow")
class SilentServerTest {
  @TempDir Path folder;

  @Test
  void serverThatDoesNotListenInTimeIsKilledAndTheNextOneServes() throws Exception {
    Path waits = Files.createFile(folder.resolve("waits"));
    LoopDevice device = new LoopDevice(folder.resolve("volume.img"), ShareFixture.SIZE);
    ShareFixture node = new ShareFixture(folder.resolve("data"), host(waits));
    try {
      ShareRequest request = ShareFixture.request("files", device);
      assertThatThrownBy(() -> node.server().start(request, ShareFixture.LIMIT))
          .isInstanceOf(StorageException.class)
          .hasMessageContaining("share files: killed Ganesha, which does not listen after 5 s");
      assertThat(
              HostCondition.holds(
                  Duration.ofSeconds(10),
                  () -> processes().noneMatch(command -> command.contains("ganesha.conf"))))
          .as("the silent server has ended")
          .isTrue();
      Files.delete(waits);
      assertThat(node.start(request).serves()).isTrue();
    } finally {
      node.close();
      device.close();
    }
  }

  private Stream<String> processes() {
    return ShareLeftovers.processes(folder.resolve("data")).stream()
        .flatMap(process -> process.info().commandLine().stream())
        .filter(command -> !command.contains("holdfast-share-guard"));
  }

  /** Returns a host whose Ganesha waits as long as a file exists. */
  private Host host(Path file) throws Exception {
    LocalHost real = new LocalHost();
    Path program = folder.resolve("ganesha.nfsd");
    Files.writeString(
        program,
        "#!/bin/sh\nwhile [ -e '%s' ]; do sleep 0.1; done\nexec '%s' \"$@\"\n"
            .formatted(file, real.require("ganesha.nfsd", "nfs-ganesha")));
    Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwx------"));
    return new WaitingGanesha(real, program);
  }

  private record WaitingGanesha(Host host, Path ganesha) implements Host {
    @Override
    public Optional<Path> find(String program) throws StorageException {
      return program.equals("ganesha.nfsd") ? Optional.of(ganesha) : host.find(program);
    }

    @Override
    public ProgramResult run(ProgramCall call) throws StorageException {
      return host.run(call);
    }

    @Override
    public HostProcess start(List<String> command) throws StorageException {
      return host.start(command);
    }

    @Override
    public HostFiles files() {
      return host.files();
    }
  }
}
