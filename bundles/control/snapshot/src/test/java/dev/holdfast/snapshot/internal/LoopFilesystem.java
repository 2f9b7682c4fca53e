package dev.holdfast.snapshot.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.initiator.HostProgram;
import dev.holdfast.initiator.Initiator;
import dev.holdfast.initiator.InitiatorConnection;
import dev.holdfast.initiator.InitiatorProvider;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** A real, mounted ext4 on a loop device that acts as the device of a volume. */
final class LoopFilesystem {
  static final String VOLUME = "vol";
  private static final Duration SHORT = Duration.ofSeconds(60);

  final Path image;
  final Path mounted;
  final String device;

  LoopFilesystem(Path folder) throws Exception {
    image = folder.resolve("image");
    mounted = Files.createDirectories(folder.resolve("mounted"));
    check("truncate", "--size=64M", image.toString());
    check("mkfs.ext4", "-q", image.toString());
    device = check("losetup", "--find", "--show", image.toString());
    check("mount", device, mounted.toString());
  }

  static String check(String... command) throws Exception {
    return HostProgram.check(SHORT, found(command));
  }

  static int run(String... command) throws Exception {
    return HostProgram.run(SHORT, found(command)).exitCode();
  }

  /** Finds programs outside of a user's PATH. */
  private static List<String> found(String... command) throws Exception {
    List<String> found = new ArrayList<>(List.of(command));
    found.set(0, HostProgram.require(command[0], command[0]).toString());
    return found;
  }

  /** Returns the mounts of the data directory, with this device connected. */
  static VolumeMounts mounts(Path data, String device) {
    VolumeMounts mounts = new VolumeMounts(data);
    InitiatorProvider provider = state -> List.of(new Connected(device));
    mounts.addProvider(provider);
    return mounts;
  }

  void write(String name, byte[] content) throws Exception {
    Files.write(mounted.resolve(name), content);
  }

  /** Writes on another thread, which waits while the filesystem is frozen. */
  CompletableFuture<Void> writing(String name) {
    return CompletableFuture.runAsync(
        () -> {
          try {
            write(name, new byte[100]);
          } catch (Exception e) {
            throw new IllegalStateException(e);
          }
        });
  }

  /** Copies the current content of the device, as a snapshot would have it. */
  Path copy(Path to) throws Exception {
    check("dd", "if=" + device, "of=" + to, "iflag=direct", "bs=1M", "status=none");
    return to;
  }

  static boolean needsRecovery(Path copy) throws Exception {
    return check("dumpe2fs", "-h", copy.toString()).contains("needs_recovery");
  }

  /** Thaws the filesystem. Returns whether it was frozen. */
  boolean thawByHand() throws Exception {
    return run("fsfreeze", "--unfreeze", mounted.toString()) == 0;
  }

  /** Returns whether it is frozen: a frozen filesystem cannot be frozen again. */
  boolean isFrozen() throws Exception {
    if (run("fsfreeze", "--freeze", mounted.toString()) != 0) {
      return true;
    }
    assertThat(thawByHand()).isTrue();
    return false;
  }

  void freezeByHand() throws Exception {
    check("fsfreeze", "--freeze", mounted.toString());
  }

  void close() throws Exception {
    run("fsfreeze", "--unfreeze", mounted.toString());
    assertThat(run("umount", mounted.toString())).isZero();
    check("losetup", "--detach", device);
  }

  /** An initiator that supports only the listing of its single connection. */
  private record Connected(String device) implements Initiator {
    @Override
    public String name() {
      return "test";
    }

    @Override
    public int preference() {
      return 0;
    }

    @Override
    public boolean understands(URI endpoint) {
      return false;
    }

    @Override
    public Optional<String> obstacle() {
      return Optional.empty();
    }

    @Override
    public InitiatorConnection connect(String volume, URI endpoint) {
      throw new IllegalStateException("nothing is connected here");
    }

    @Override
    public void disconnect(String volume) {
      throw new IllegalStateException("nothing is disconnected here");
    }

    @Override
    public Optional<InitiatorConnection> find(String volume) {
      return connections().stream().filter(c -> c.volume().equals(volume)).findFirst();
    }

    @Override
    public List<InitiatorConnection> connections() {
      return List.of(
          new InitiatorConnection(VOLUME, "test", URI.create("nbd://x/vol"), device, true));
    }
  }
}
