package dev.holdfast.share.nfs.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.initiator.HostProgram;
import dev.holdfast.initiator.MountTable;
import dev.holdfast.share.ShareKey;
import dev.holdfast.share.ShareRequest;
import dev.holdfast.share.ShareStop;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** The part of {@link EncryptedShareVmTest} that runs in a machine whose kernel has dm-crypt. */
final class EncryptedShareInGuest {
  private static final String SECRET = "text that must not be readable on the disk";
  private static final int HEADER = 8;

  /** Small, because the test searches the whole image for the secret. */
  private static final long SIZE = 64L << 20;

  private final Path folder;
  private final LoopDevice device;
  private final ShareFixture node;
  private final ShareRequest request;

  private EncryptedShareInGuest(Path folder) throws Exception {
    this.folder = folder;
    this.device = new LoopDevice(folder.resolve("volume.img"), SIZE);
    this.node = new ShareFixture(folder.resolve("data"));
    this.request = ShareFixture.request("v1", device).withSize(SIZE).withKey(key("one"));
  }

  private static Optional<ShareKey> key(String value) {
    return Optional.of(
        new ShareKey(value, Optional.empty(), "aes-xts-plain64", "sha256", 256, "pbkdf2"));
  }

  /** Tests that share one volume. */
  enum Part {
    SECOND_OPENING,
    WRONG_KEY_AND_REPAIR;

    String passed() {
      return "passed: " + this;
    }
  }

  public static void main(String[] arguments) throws Exception {
    Part part = Part.valueOf(arguments[0]);
    // A separate folder in the guest's memory.
    EncryptedShareInGuest judged =
        new EncryptedShareInGuest(Files.createTempDirectory(Path.of("/run"), "judged"));
    switch (part) {
      case SECOND_OPENING -> judged.contentIsEncryptedAndThereTheSecondTime();
      case WRONG_KEY_AND_REPAIR -> {
        judged.wrongKeyIsRefusedWithTheRemedy();
        judged.repairMountsTheOpenedDevice();
      }
    }
    judged.nothingIsLeft();
    System.out.println(part.passed());
  }

  private Path export() {
    return folder.resolve("data/share-nfs/shares/v1/export");
  }

  private void assertServesTheOpenedDevice() throws Exception {
    assertThat(MountTable.read().at(export()))
        .hasValueSatisfying(
            mount -> assertThat(mount.source()).isEqualTo("/dev/mapper/holdfast-v1"));
  }

  private void stop() throws Exception {
    node.server().stop(request.instance(), ShareStop.END, ShareFixture.LIMIT);
    assertThat(Path.of("/dev/mapper/holdfast-v1")).doesNotExist();
  }

  private void contentIsEncryptedAndThereTheSecondTime() throws Exception {
    assertThat(node.start(request).serves()).isTrue();
    assertServesTheOpenedDevice();
    assertThat(ShareFixture.client(request).write("a", SECRET).output()).contains("copied");
    stop();
    assertThat(isOnDisk(SECRET)).isFalse();
    try (InputStream image = Files.newInputStream(folder.resolve("volume.img"))) {
      assertThat(new String(image.readNBytes(HEADER), StandardCharsets.ISO_8859_1))
          .startsWith("LUKS");
    }
    assertThat(node.start(request).serves()).isTrue();
    assertServesTheOpenedDevice();
    // Read the file locally, because a client would wait for the end of the grace period.
    assertThat(export().resolve("a")).hasContent(SECRET);
    stop();
  }

  private boolean isOnDisk(String text) throws Exception {
    String image = folder.resolve("volume.img").toString();
    return HostProgram.run(Duration.ofMinutes(1), List.of("grep", "-qaF", text, image)).exitCode()
        == 0;
  }

  private void wrongKeyIsRefusedWithTheRemedy() throws Exception {
    assertThat(node.start(request).serves()).isTrue();
    stop();
    ShareRequest wrong = request.withKey(key("two"));
    assertThatThrownBy(() -> node.start(wrong))
        .isInstanceOfSatisfying(
            StorageException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.FORBIDDEN))
        .hasMessageContaining("volume v1: ")
        .hasMessageContaining("the passphrase does not open it")
        .hasMessageContaining("spec.keySecret of the share")
        .hasMessageNotContaining("two");
    stop();
    assertThatThrownBy(() -> node.start(request.withKey(Optional.empty())))
        .as("a share whose settings lost the key")
        .hasMessageContaining("crypto_LUKS");
    stop();
  }

  private void repairMountsTheOpenedDevice() throws Exception {
    assertThat(node.start(request).serves()).isTrue();
    node.server().repair(request, ShareFixture.LIMIT);
    assertThat(node.observe(request).serves()).isTrue();
    assertServesTheOpenedDevice();
    node.replace();
    assertThat(node.start(request).serves()).as("the next bundle adopts it").isTrue();
    assertServesTheOpenedDevice();
    node.server().expel(request.instance());
    assertThat(Path.of("/dev/mapper/holdfast-v1")).doesNotExist();
  }

  private void nothingIsLeft() throws Exception {
    assertThat(node.server().instances()).isEmpty();
    assertThat(MountTable.read().mounts()).noneMatch(mount -> mount.directory().startsWith(folder));
    node.close();
    device.close();
  }
}
