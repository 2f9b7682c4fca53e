package dev.holdfast.share.nfs.internal.volume;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.host.Host;
import dev.holdfast.host.HostFiles;
import dev.holdfast.host.HostProcess;
import dev.holdfast.host.LocalHost;
import dev.holdfast.host.ProgramCall;
import dev.holdfast.host.ProgramResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MountHoldersTest {
  @TempDir Path folder;

  @Test
  void processWithAFolderBelowIsNamed() throws Exception {
    Path used = Files.createDirectories(folder.resolve("used [1]/inside"));
    Path other = Files.createDirectory(folder.resolve("used 1"));
    Process holder = new ProcessBuilder("sleep", "600").directory(used.toFile()).start();
    Process beside = new ProcessBuilder("sleep", "600").directory(other.toFile()).start();
    try {
      assertThat(new MountHolders(new LocalHost()).of(used.getParent()))
          .containsExactly("process " + holder.pid() + " (sleep)");
    } finally {
      holder.destroyForcibly().waitFor();
      beside.destroyForcibly().waitFor();
    }
  }

  @Test
  void searchThatTakesTooLongNamesNone() throws Exception {
    assertThat(new MountHolders(new SlowHost(new LocalHost())).of(folder)).isEmpty();
  }

  /** A host on which no program ends in time. */
  private record SlowHost(Host host) implements Host {
    @Override
    public Optional<Path> find(String program) throws StorageException {
      return host.find(program);
    }

    @Override
    public ProgramResult run(ProgramCall call) throws StorageException {
      throw new StorageException(ErrorCode.TIMEOUT, call.program() + " did not end");
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
