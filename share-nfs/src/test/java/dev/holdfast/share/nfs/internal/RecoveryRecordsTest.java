package dev.holdfast.share.nfs.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.error.StorageException;
import dev.holdfast.host.Host;
import dev.holdfast.host.HostFiles;
import dev.holdfast.host.HostProcess;
import dev.holdfast.host.LocalHost;
import dev.holdfast.host.ProgramCall;
import dev.holdfast.host.ProgramResult;
import dev.holdfast.share.ShareObservation;
import dev.holdfast.share.ShareRequest;
import dev.holdfast.share.ShareStop;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Two nodes that serve one volume in turn. The second node lets a client of the first one reclaim
 * its locks, because it finds the client's record on the volume. The grace period proves this: a
 * server without a record ends it at once.
 */
@Tag("slow")
class RecoveryRecordsTest {
  @TempDir Path folder;
  private LoopDevice device;

  @BeforeEach
  void make() throws Exception {
    device = new LoopDevice(folder.resolve("volume.img"), ShareFixture.SIZE);
  }

  @AfterEach
  void remove() throws Exception {
    device.close();
  }

  /** Returns the observation of the second node directly after its start. */
  private ShareObservation moved(Host first, Host second) throws Exception {
    ShareRequest request =
        ShareFixture.request("v1", device)
            .withLease(Duration.ofSeconds(60))
            .withGrace(Duration.ofSeconds(90));
    ShareFixture one = new ShareFixture(folder.resolve("one"), first);
    try {
      assertThat(one.start(request).inGrace()).as("grace without a client").isFalse();
      assertThat(ShareFixture.client(request).list().exitCode()).isZero();
      one.server().stop(request.instance(), ShareStop.MOVE, ShareFixture.LIMIT);
    } finally {
      one.close();
    }
    ShareFixture two = new ShareFixture(folder.resolve("two"), second);
    try {
      ShareObservation seen = two.start(request.withEpoch(2));
      assertThat(seen.serves()).as(seen.toString()).isTrue();
      return seen;
    } finally {
      two.close();
    }
  }

  @Test
  void nextNodeFindsTheRecordsOfClients() throws Exception {
    assertThat(moved(new LocalHost(), new LocalHost()).inGrace()).isTrue();
  }

  /** The check above detects a planted defect. */
  @Test
  void recordsOnTheDiskOfANodeAreFound() throws Exception {
    Host one = new RecordsOfNode(new LocalHost(), Files.createDirectory(folder.resolve("r1")));
    Host two = new RecordsOfNode(new LocalHost(), Files.createDirectory(folder.resolve("r2")));
    assertThat(moved(one, two).inGrace()).as("grace with records on the node's disk").isFalse();
  }

  /** A host that gives the server a folder of its own disk instead of the volume's folder. */
  private record RecordsOfNode(Host host, Path own) implements Host {
    @Override
    public Optional<Path> find(String program) throws StorageException {
      return host.find(program);
    }

    @Override
    public ProgramResult run(ProgramCall call) throws StorageException {
      List<String> words = new ArrayList<>(call.command());
      if (words.contains("--bind")) {
        words.set(words.indexOf("--bind") + 1, own.toString());
      }
      return host.run(
          ProgramCall.of(call.timeout(), words)
              .withInput(call.input())
              .withOutputBytes(call.outputBytes()));
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
