package dev.holdfast.frontend.nvmeof.internal.auth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.error.StorageException;
import dev.holdfast.frontend.nvmeof.KnownPrimes;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;
import org.junit.jupiter.params.provider.ValueSource;

/** The steps of an authentication, and one that is resumed elsewhere after every message. */
final class AuthenticationTest {
  private static final String HOST =
      "nqn.2014-08.org.nvmexpress:uuid:11111111-2222-3333-4444-555555555555";
  private static final String SUBSYSTEM = "nqn.2026-11.dev.holdfast:volume";

  /** Both by nvme-cli 2.3: {@code nvme gen-dhchap-key -m 0|1 -n HOST -s 000102...1f}. */
  private static final String PLAIN = "DHHC-1:00:AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh+KfiaR:";

  private static final String TRANSFORMED =
      "DHHC-1:01:bOHk6jHoMxpP5YJr/eF6XNOGuPAzh0iRniebpsVb9ydqVuR5:";

  @TempDir Path folder;

  private static byte[] counting() {
    return HexFormat.of()
        .parseHex("000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f");
  }

  @Test
  void secretOfATool() {
    assertThat(DhchapSecret.of(PLAIN).key(HOST)).isEqualTo(counting());
  }

  /** The transformation of the plain secret equals the tool's. */
  @Test
  void transformationOfATool() {
    String asked = PLAIN.replace("DHHC-1:00:", "DHHC-1:01:");
    byte[] made = DhchapSecret.of(TRANSFORMED.replace("DHHC-1:01:", "DHHC-1:00:")).key(HOST);
    assertThat(DhchapSecret.of(asked).key(HOST)).isEqualTo(made);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "secret",
        "DHHC-1:04:AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh+KfiaR:",
        "DHHC-1:00:AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh+KfiaS:",
        "DHHC-1:00:AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh+KfiaR",
        "DHHC-1:00:AAECAwQF:"
      })
  void invalidSecretIsNotShown(String text) {
    assertThatThrownBy(() -> DhchapSecret.of(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageNotContaining("AAECAwQF");
  }

  @ParameterizedTest
  @EnumSource(mode = Mode.EXCLUDE, names = "NONE")
  void primesAreThoseOfTheStandard(DhGroup group) throws Exception {
    assertThat(group.prime()).isEqualTo(KnownPrimes.of(group.length() * Byte.SIZE));
  }

  @ParameterizedTest
  @EnumSource(names = {"NONE", "FFDHE_2048"})
  void authenticationResumesElsewhereAfterEveryMessage(DhGroup group) throws Exception {
    Path file = folder.resolve("secrets");
    Files.writeString(file, HOST + " " + PLAIN + " " + TRANSFORMED + "\n");
    HostSecrets secrets = new HostSecrets(Optional.of(file));
    Authentication controller = Authentication.begin(secrets, HOST, SUBSYSTEM);
    controller = elsewhere(secrets, controller);
    controller.send(negotiation(group));
    controller = elsewhere(secrets, controller);
    ByteBuffer challenge = little(controller.receive());
    controller = elsewhere(secrets, controller);

    DhchapPeers parties = new DhchapPeers(HOST, SUBSYSTEM);
    KeyExchange exchange = KeyExchange.begin(group, new SecureRandom());
    byte[] shared = exchange.agree(part(challenge, 48, group.length()));
    byte[] asked = part(challenge, 16, 32);
    DhchapChallenge ofController =
        new DhchapChallenge(DhchapHash.SHA_256, asked, shared, challenge.getInt(12), 9);
    byte[] response = parties.hostResponse(DhchapSecret.of(PLAIN), ofController);
    controller.send(reply(response, asked, exchange.publicValue()));
    assertThat(controller.passed()).isFalse();
    controller = elsewhere(secrets, controller);
    ByteBuffer success = little(controller.receive());
    DhchapChallenge ofHost = new DhchapChallenge(DhchapHash.SHA_256, asked, shared, 5, 9);
    assertThat(part(success, 16, 32))
        .isEqualTo(parties.controllerResponse(DhchapSecret.of(TRANSFORMED), ofHost));
    assertThat(controller.passed()).isFalse();
    controller = elsewhere(secrets, controller);
    controller.send(bytes(message(0x01, 0x04, 16)));
    assertThat(elsewhere(secrets, controller).passed()).isTrue();
  }

  /** Every message gets a reply of the announced length, and no host is admitted by chance. */
  @Test
  void messagesOfAnyKindAreSurvived() throws Exception {
    Path file = folder.resolve("secrets");
    Files.writeString(file, HOST + " " + PLAIN + "\n");
    HostSecrets secrets = new HostSecrets(Optional.of(file));
    Random random = new Random(1);
    List<byte[]> messages =
        List.of(
            negotiation(DhGroup.NONE),
            reply(new byte[32], new byte[32], new byte[0]),
            bytes(message(0x01, 0x04, 16)),
            bytes(message(0x00, 0xf1, 16)));
    for (int i = 0; i < 2000; i++) {
      Authentication controller = Authentication.begin(secrets, HOST, SUBSYSTEM);
      for (int step = 0; step < 4; step++) {
        byte[] sent = messages.get(step == 0 ? 0 : random.nextInt(messages.size())).clone();
        sent[random.nextInt(sent.length)] = (byte) random.nextInt();
        controller.send(Arrays.copyOf(sent, sent.length - random.nextInt(3) * step));
        int announced = controller.available();
        assertThat(controller.receive()).hasSize(announced);
        controller = Authentication.resume(secrets, HOST, SUBSYSTEM, controller.text());
      }
      assertThat(controller.passed()).isFalse();
    }
  }

  @Test
  void malformedTextIsInvalid() {
    assertThatThrownBy(
            () -> Authentication.resume(new HostSecrets(Optional.empty()), HOST, SUBSYSTEM, "x"))
        .isInstanceOf(StorageException.class);
  }

  private static Authentication elsewhere(HostSecrets secrets, Authentication left)
      throws StorageException {
    assertThat(left.failed()).isFalse();
    return Authentication.resume(secrets, HOST, SUBSYSTEM, left.text());
  }

  private static byte[] negotiation(DhGroup group) {
    ByteBuffer message = message(0x00, 0x00, 72);
    message.put(7, (byte) 1).put(8, (byte) 1).put(10, (byte) 1).put(11, (byte) 1);
    return bytes(message.put(12, (byte) 1).put(42, (byte) group.id()));
  }

  private static byte[] reply(byte[] response, byte[] challenge, byte[] publicValue) {
    ByteBuffer message = message(0x01, 0x02, 16 + 64 + publicValue.length);
    message.put(6, (byte) 32).put(8, (byte) 1).putShort(10, (short) publicValue.length);
    message.putInt(12, 5).put(16, response);
    return bytes(message.put(48, challenge).put(80, publicValue));
  }

  private static ByteBuffer message(int type, int id, int size) {
    ByteBuffer message = little(new byte[size]);
    return message.put(0, (byte) type).put(1, (byte) id).putShort(4, (short) 9);
  }

  private static ByteBuffer little(byte[] bytes) {
    return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }

  private static byte[] bytes(ByteBuffer message) {
    return part(message, 0, message.capacity());
  }

  private static byte[] part(ByteBuffer buffer, int at, int length) {
    byte[] bytes = new byte[length];
    buffer.get(at, bytes);
    return bytes;
  }

  @Test
  void lastLineForAllOthersDoesNotHideAHostsOwn() throws Exception {
    Path file = folder.resolve("secrets");
    Files.writeString(
        file,
        "* " + TRANSFORMED + "\n" + HOST + "\t" + PLAIN + "\n# end\n",
        StandardCharsets.UTF_8);
    HostSecrets secrets = new HostSecrets(Optional.of(file));
    assertThat(secrets.of(HOST).orElseThrow().host().key(HOST)).isEqualTo(counting());
    assertThat(secrets.has("nqn.other")).isTrue();
  }
}
