package dev.holdfast.mounts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.host.LocalHost;
import dev.holdfast.host.LuksDevices;
import dev.holdfast.host.LuksKey;
import dev.holdfast.initiator.HostProgram;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** The part of {@link LuksDevicesVmTest} that runs in a machine whose kernel has dm-crypt. */
final class LuksInGuest {
  static final String PASSED = "the encrypted devices passed";
  private static final String NAME = "holdfast-judged";
  private static final long MIB = 1L << 20;
  private static final String SECRET = "secret that must not be readable on the disk";

  private final LuksDevices luks = new LuksDevices(new LocalHost());
  private final Path image;
  private final String device;

  private LuksInGuest(Path folder) throws Exception {
    image = folder.resolve("image");
    size(64 * MIB);
    device = run("losetup", "--find", "--show", image.toString());
  }

  public static void main(String[] arguments) throws Exception {
    // A folder of its own in the guest's memory.
    LuksInGuest judged = new LuksInGuest(Files.createTempDirectory(Path.of("/run"), "judged"));
    judged.contentIsThereAgainAndNotInClear();
    judged.onlyTheKeyOpensIt();
    judged.theKeyIsChanged();
    judged.itGrows();
    judged.itIsOpenedReadOnly();
    judged.whatIsLeftOfAnotherDeviceIsClosed();
    judged.whatHoldsSomethingElseIsLeftAlone();
    assertThat(keysLeft()).isEmpty();
    System.out.println(PASSED);
  }

  private void contentIsThereAgainAndNotInClear() throws Exception {
    String clear = luks.open(NAME, device, key("one"), false);
    assertThat(luks.open(NAME, device, key("one"), false)).isEqualTo(clear);
    Files.writeString(Path.of(clear), SECRET);
    luks.close(NAME);
    luks.close(NAME);
    assertThat(Path.of(clear)).doesNotExist();
    run("sync");
    String raw = new String(Files.readAllBytes(image), StandardCharsets.ISO_8859_1);
    assertThat(raw).startsWith("LUKS").doesNotContain(SECRET);
    assertThat(opened(key("one"))).isEqualTo(SECRET);
  }

  private void onlyTheKeyOpensIt() throws Exception {
    assertThatThrownBy(() -> luks.open(NAME, device, key("two"), false))
        .isInstanceOfSatisfying(
            StorageException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.FORBIDDEN))
        .hasMessageNotContaining("two");
    assertThat(luks.isOpen(NAME, device)).isFalse();
  }

  private void theKeyIsChanged() throws Exception {
    assertThat(opened(key("two", "one"))).isEqualTo(SECRET);
    assertThatThrownBy(() -> luks.open(NAME, device, key("one"), false))
        .hasMessageContaining("passphrase");
    // The Secret may hold the old one for as long as a volume may have it.
    assertThat(opened(key("two", "one"))).isEqualTo(SECRET);
  }

  private void itGrows() throws Exception {
    String clear = luks.open(NAME, device, key("two"), false);
    long before = bytes(clear);
    size(96 * MIB);
    run("losetup", "--set-capacity", device);
    luks.grow(NAME);
    assertThat(bytes(clear)).isEqualTo(before + 32 * MIB);
    luks.close(NAME);
  }

  private void itIsOpenedReadOnly() throws Exception {
    String clear = luks.open(NAME, device, key("two"), true);
    assertThat(run("blockdev", "--getro", clear)).isEqualTo("1");
    luks.close(NAME);
  }

  private void whatIsLeftOfAnotherDeviceIsClosed() throws Exception {
    luks.open(NAME, device, key("two"), false);
    String other = run("losetup", "--find", "--show", blank().toString());
    String clear = luks.open(NAME, other, key("three"), false);
    assertThat(luks.isOpen(NAME, other)).isTrue();
    assertThat(luks.isOpen(NAME, device)).isFalse();
    Process user =
        new ProcessBuilder("sleep", "600").redirectInput(Path.of(clear).toFile()).start();
    try {
      assertThatThrownBy(() -> luks.close(NAME))
          .isInstanceOfSatisfying(
              StorageException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.BUSY));
    } finally {
      user.destroyForcibly().waitFor();
    }
    luks.close(NAME);
  }

  private void whatHoldsSomethingElseIsLeftAlone() throws Exception {
    String other = run("losetup", "--find", "--show", blank().toString());
    run("mkfs.ext4", "-q", other);
    assertThatThrownBy(() -> luks.open(NAME, other, key("one"), false))
        .hasMessageContaining("ext4")
        .hasMessageContaining("not encrypted");
    String unmade = run("losetup", "--find", "--show", blank().toString());
    assertThatThrownBy(() -> luks.open(NAME, unmade, key("one"), true))
        .hasMessageContaining("read-only");
  }

  private String opened(LuksKey key) throws Exception {
    String clear = luks.open(NAME, device, key, false);
    try (RandomAccessFile file = new RandomAccessFile(clear, "r")) {
      byte[] content = new byte[SECRET.length()];
      file.readFully(content);
      return new String(content, StandardCharsets.UTF_8);
    } finally {
      luks.close(NAME);
    }
  }

  private static LuksKey key(String value) {
    return new LuksKey(value, Optional.empty(), "aes-xts-plain64", "sha256", 256, "argon2id");
  }

  private static LuksKey key(String value, String previous) {
    return new LuksKey(value, Optional.of(previous), "aes-xts-plain64", "sha256", 256, "argon2id");
  }

  private void size(long bytes) throws Exception {
    try (RandomAccessFile file = new RandomAccessFile(image.toFile(), "rw")) {
      file.setLength(bytes);
    }
  }

  private Path blank() throws Exception {
    Path file = Files.createTempFile(image.getParent(), "blank", "");
    try (RandomAccessFile content = new RandomAccessFile(file.toFile(), "rw")) {
      content.setLength(32 * MIB);
    }
    return file;
  }

  private static long bytes(String path) throws Exception {
    return Long.parseLong(run("blockdev", "--getsize64", path));
  }

  private static List<Path> keysLeft() throws Exception {
    try (var files = Files.list(Path.of("/dev/shm"))) {
      return files.filter(file -> file.toString().endsWith(".key")).toList();
    }
  }

  private static String run(String... command) throws Exception {
    return HostProgram.check(Duration.ofMinutes(2), List.of(command));
  }
}
