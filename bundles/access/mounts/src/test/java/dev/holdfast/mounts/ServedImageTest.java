package dev.holdfast.mounts;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.client.VolumeRequest;
import dev.holdfast.host.LocalHost;
import dev.holdfast.initiator.HostProgram;
import dev.holdfast.initiator.HostState;
import dev.holdfast.initiator.Initiator;
import dev.holdfast.initiator.InitiatorProvider;
import java.io.RandomAccessFile;
import java.nio.file.Path;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchService;
import java.util.List;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** A volume whose bytes nbdkit serves from a file. */
abstract class ServedImageTest extends HostStoreTest {
  static final long SIZE = 512L << 20;

  @TempDir Path folder;
  Path image;
  Path directory;
  Process server;

  @BeforeEach
  void serveAVolume() throws Exception {
    assertThat(initiators().stream().anyMatch(initiator -> initiator.obstacle().isEmpty()))
        .as("this test needs root, and FUSE with loop devices or NBD in the kernel")
        .isTrue();
    image = folder.resolve("image");
    directory = folder.resolve("mnt");
    try (RandomAccessFile file = new RandomAccessFile(image.toFile(), "rw")) {
      file.setLength(SIZE);
    }
    Path socket = folder.resolve("nbd.sock");
    try (WatchService appearance = folder.getFileSystem().newWatchService()) {
      folder.register(appearance, StandardWatchEventKinds.ENTRY_CREATE);
      server =
          new ProcessBuilder(
                  HostProgram.require("nbdkit", "nbdkit").toString(),
                  "--foreground",
                  "--unix=" + socket,
                  "file",
                  image.toString())
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start();
      assertThat(appearance.poll(10, TimeUnit.SECONDS)).as("nbdkit listens").isNotNull();
    }
    controllers.serveAt("nbd+unix:///?socket=" + socket);
    volumes.create(VolumeRequest.of("demo", "512Mi"), PATIENT);
  }

  HostState connections() {
    return new HostState(folder.resolve("initiators"));
  }

  List<Initiator> initiators() {
    return ServiceLoader.load(InitiatorProvider.class).stream()
        .flatMap(provider -> provider.get().initiators(connections()).stream())
        .toList();
  }

  HostState records() {
    return new HostState(folder.resolve("mounts"));
  }

  /** Knows only what is written down, as another program does. */
  Mounts mounts() {
    return new Mounts(new LocalHost(), store, initiators(), records(), Optional.empty());
  }
}
