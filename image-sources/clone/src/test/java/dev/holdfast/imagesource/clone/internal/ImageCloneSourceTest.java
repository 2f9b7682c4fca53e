package dev.holdfast.imagesource.clone.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.host.LocalHost;
import dev.holdfast.imagesource.ClusterDisks;
import dev.holdfast.imagesource.ImageRequest;
import dev.holdfast.imagesource.ImageTransfer;
import dev.holdfast.imagesource.SourceDisk;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Clones as they are, encrypted and decrypted, by cryptsetup; QEMU is the peer. */
class ImageCloneSourceTest implements ClusterDisks {
  private static final int MIB = 1 << 20;
  private static final int HEADER = 16 * MIB;
  private static final String PASSPHRASE = "passphrase that no message may have";

  @TempDir Path folder;
  private final Map<String, byte[]> images = new HashMap<>();
  private ImageCloneSource source;

  @BeforeEach
  void start() throws StorageException {
    source = new ImageCloneSource(new LocalHost(), folder.resolve("headers"));
    source.addSecrets(
        name ->
            switch (name) {
              case "luks" -> Optional.of(secret(PASSPHRASE, "CRYPTO_PBKDF", "pbkdf2"));
              case "other" -> Optional.of(secret("another", "CRYPTO_PBKDF", "pbkdf2"));
              case "serpent" ->
                  Optional.of(secret(PASSPHRASE, "CRYPTO_KEY_CIPHER", "serpent-xts-plain64"));
              case "wrong" -> Optional.of(secret(PASSPHRASE, "CRYPTO_KEY_SIZE", "many"));
              case "foreign" -> Optional.of(Map.of("password", new byte[] {1}));
              default -> Optional.empty();
            },
        Map.of());
  }

  private static Map<String, byte[]> secret(String passphrase, String name, String value) {
    return Map.of(
        "CRYPTO_KEY_VALUE",
        passphrase.getBytes(StandardCharsets.UTF_8),
        name,
        value.getBytes(StandardCharsets.UTF_8));
  }

  @Override
  public SourceDisk volume(String volume, String snapshot) throws StorageException {
    throw new StorageException(ErrorCode.NOT_FOUND, "volume " + volume);
  }

  @Override
  public SourceDisk image(String image) throws StorageException {
    byte[] content = images.get(image);
    if (content == null) {
      throw new StorageException(ErrorCode.NOT_FOUND, "image " + image);
    }
    return new MemoryDisk(content);
  }

  private MemorySink clone(Map<String, String> parameters) throws StorageException {
    ImageRequest request =
        new ImageRequest(
            "copy", parameters, address -> {}, Optional.empty(), this, Optional.empty());
    MemorySink sink = new MemorySink();
    try (ImageTransfer transfer = source.begin(request)) {
      transfer.run(sink);
    }
    assertThat(sink.total).isEqualTo(sink.position());
    return sink;
  }

  private MemorySink clone(String image, String encryption, String secret) throws StorageException {
    return clone(Map.of("backing-image", image, "encryption", encryption, "secret", secret));
  }

  private byte[] image(String name, int size) {
    byte[] content = new byte[size];
    new Random(7).nextBytes(content);
    Arrays.fill(content, size / 4, size / 2, (byte) 0);
    images.put(name, content);
    return content;
  }

  @Test
  void cloneWithoutEncryptionIsTheSame() throws Exception {
    byte[] content = image("debian", MIB);
    assertThat(clone(Map.of("backing-image", "debian")).bytes.toByteArray()).isEqualTo(content);
  }

  @Test
  void encryptedCloneIsALuksContainerAndDecryptsToTheSame() throws Exception {
    byte[] content = image("debian", MIB + 100);

    byte[] encrypted = clone("debian", "encrypt", "luks").bytes.toByteArray();
    assertThat(encrypted).hasSize(HEADER + MIB + 512);
    assertThat(new String(encrypted, 0, 4, StandardCharsets.US_ASCII)).isEqualTo("LUKS");
    assertThat(Arrays.copyOfRange(encrypted, HEADER + MIB / 4, HEADER + MIB / 2))
        .as("ciphertext of zeroes")
        .isNotEqualTo(new byte[MIB / 4]);

    images.put("encrypted", encrypted);
    byte[] decrypted = clone("encrypted", "decrypt", "luks").bytes.toByteArray();
    assertThat(decrypted).hasSize(MIB + 512).startsWith(content);
    assertThat(folder.resolve("headers")).isEmptyDirectory();
  }

  /** Makes the image "qemu": a container of QEMU, which costs less time than one of cryptsetup. */
  private void qemuContainer(byte[] content) throws Exception {
    Path raw = Files.write(folder.resolve("raw"), content);
    Path secret = Files.writeString(folder.resolve("passphrase"), PASSPHRASE);
    Path container = folder.resolve("container");
    String options =
        "key-secret=s,iter-time=10,cipher-alg=aes-256,cipher-mode=xts,ivgen-alg=plain64";
    List<String> command =
        List.of(
            "qemu-img",
            "convert",
            "--object",
            "secret,id=s,file=" + secret,
            "-f",
            "raw",
            "-O",
            "luks",
            "-o",
            options,
            raw.toString(),
            container.toString());
    // QEMU measures how fast it derives keys, and at times fails at that on a busy machine.
    int exit = 1;
    for (int attempt = 0; attempt < 5 && exit != 0; attempt++) {
      exit = new ProcessBuilder(command).inheritIO().start().waitFor();
    }
    assertThat(exit).isZero();
    images.put("qemu", Files.readAllBytes(container));
  }

  @Test
  void containerOfQemuDecryptsToItsContent() throws Exception {
    byte[] content = image("debian", MIB);
    qemuContainer(content);
    assertThat(clone("qemu", "decrypt", "luks").bytes.toByteArray()).isEqualTo(content);
    assertThat(folder.resolve("headers")).isEmptyDirectory();
  }

  @Test
  void unwrittenSectorsOfAContainerAreZeroesInTheClone() throws Exception {
    qemuContainer(image("debian", MIB));
    byte[] container = images.get("qemu");
    int unwritten = container.length - MIB / 2 + 512;
    Arrays.fill(container, unwritten, container.length, (byte) 0);

    MemorySink decrypted = clone("qemu", "decrypt", "luks");
    assertThat(decrypted.holes).isPositive();
    assertThat(Arrays.copyOfRange(decrypted.bytes.toByteArray(), MIB / 2 + 512, MIB))
        .isEqualTo(new byte[MIB / 2 - 512]);
  }

  @Test
  void wrongPassphraseIsRefused() throws Exception {
    qemuContainer(image("debian", MIB));
    refused(Map.of("backing-image", "qemu", "encryption", "decrypt", "secret", "other"))
        .hasMessageContaining("the passphrase does not open the LUKS container");
    assertThat(folder.resolve("headers")).isEmptyDirectory();
  }

  @Test
  void contentThatIsNotEncryptedIsNotDecrypted() throws Exception {
    image("debian", MIB);
    refused(Map.of("backing-image", "debian", "encryption", "decrypt", "secret", "luks"))
        .hasMessageContaining("not a LUKS container");
  }

  @Test
  void containerWithoutItsEndIsRefused() throws Exception {
    qemuContainer(image("debian", MIB));
    byte[] container = images.get("qemu");
    images.put("cut", Arrays.copyOf(container, container.length - 100));
    refused(Map.of("backing-image", "cut", "encryption", "decrypt", "secret", "luks"))
        .hasMessageContaining("incomplete");
  }

  @Test
  void startDeletesHeadersOfAKilledNode() throws Exception {
    Path left = Files.createDirectories(folder.resolve("headers")).resolve("header-1.luks");
    Files.write(left, new byte[] {1});
    source = new ImageCloneSource(new LocalHost(), folder.resolve("headers"));
    assertThat(folder.resolve("headers")).isEmptyDirectory();
  }

  @Test
  void wrongParametersAreRefusedByName() {
    refused(Map.of("backing-image", "copy"))
        .hasMessageContaining("spec.sourceParameters[backing-image]: \"copy\"");
    refused(Map.of("backing-image", "debian", "encryption", "maybe"))
        .hasMessageContaining("spec.sourceParameters[encryption]: \"maybe\"")
        .hasMessageContaining("ignore, encrypt, decrypt");
    refused(Map.of("backing-image", "debian", "encryption", "encrypt"))
        .hasMessageContaining("spec.sourceParameters[secret]: a value is required");
    refused(Map.of("backing-image", "debian", "secret", "luks"))
        .hasMessageContaining("spec.sourceParameters[secret]: needs encryption");
  }

  @Test
  void wrongSecretsAreRefusedByName() {
    refused(encrypted("absent")).hasMessageContaining("'holdfast secret set absent KEY'");
    refused(encrypted("foreign")).hasMessageContaining("secret foreign[CRYPTO_KEY_VALUE]");
    refused(encrypted("serpent")).hasMessageContaining("aes-xts-plain64 only");
    refused(encrypted("wrong")).hasMessageContaining("secret wrong[CRYPTO_KEY_SIZE]: must be");
  }

  private static Map<String, String> encrypted(String secret) {
    return Map.of("backing-image", "debian", "encryption", "encrypt", "secret", secret);
  }

  private AbstractThrowableAssert<?, ? extends Throwable> refused(Map<String, String> parameters) {
    return assertThatThrownBy(() -> clone(parameters))
        .isInstanceOf(StorageException.class)
        .hasMessageNotContaining(PASSPHRASE);
  }
}
