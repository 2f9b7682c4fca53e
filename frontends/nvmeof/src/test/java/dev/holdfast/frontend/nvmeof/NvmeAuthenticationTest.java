package dev.holdfast.frontend.nvmeof;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.frontend.nvmeof.internal.NvmeofFrontend;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** DH-HMAC-CHAP as a host sees it. */
final class NvmeAuthenticationTest extends NvmeTestBase {
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final int SHA_256 = 1;
  private static final int NO_GROUP = 0;
  private static final int ASKED = 1 << 17;
  private static final int REQUIRED = 0x191;

  @TempDir static Path folder;

  private final byte[] hostSecret = random(32, 1);
  private final byte[] controllerSecret = random(48, 2);
  private Path file;

  @Override
  NvmeServer server() throws Exception {
    file = Files.createTempFile(folder, "secrets", "");
    line(host.name(), HostChap.secret(0, hostSecret));
    Map<String, String> options = Map.of("holdfast.nvmeof.dhchap", file.toString());
    return NvmeServer.start(
        new NvmeofFrontend(name -> Optional.ofNullable(options.get(name))), options);
  }

  private void line(String... words) throws Exception {
    Files.writeString(file, "# hosts\n\n" + String.join("  ", words) + "\n");
  }

  /** Connects an admin queue of a host that has not authenticated yet. */
  private HostQueue connected(Host from) throws Exception {
    HostQueue queue = opened(HostQueue.open(endpoint, from.options()));
    Outcome outcome =
        get(queue.send(from.connect(0, 32, 0), from.data(subsystem, Host.ANY))).orThrow();
    assertThat(outcome.result() & ~0xffffL).isEqualTo(ASKED);
    return queue;
  }

  private HostChap chap(HostQueue queue) {
    return new HostChap(queue, host.name(), subsystem, 0x1234);
  }

  private static void assertServed(HostQueue queue) throws Exception {
    assertThat(get(queue.send(Host.property(0x14, 0x460001), 0)).status()).isZero();
    assertThat(get(queue.send(identify(1, 0), 4096)).status()).isZero();
  }

  private void assertRefused(HostQueue queue, ByteBuffer answer, int explanation) {
    assertThat(answer.getShort(0)).isEqualTo((short) 0xf000);
    assertThat(answer.getShort(4)).isEqualTo((short) 0x1234);
    assertThat(answer.get(6)).isEqualTo((byte) 1);
    assertThat(answer.get(7)).isEqualTo((byte) explanation);
    assertThat(queue.terminated()).failsWithin(PATIENCE);
  }

  @ParameterizedTest
  @CsvSource({"1, 0", "2, 1", "3, 2", "1, 3", "2, 4", "3, 5"})
  void bothSidesAreAuthenticatedWithEachHashAndGroup(int hash, int group) throws Exception {
    line("*", HostChap.secret(hash, hostSecret), HostChap.secret(hash, controllerSecret));
    HostQueue queue = connected(host);
    HostChap chap = chap(queue);
    ByteBuffer success =
        chap.authenticate(hash, group, HostChap.transformed(hash, hostSecret, host.name()), true);
    byte[] expected = chap.expected(HostChap.transformed(hash, controllerSecret, subsystem));
    assertThat(success.getShort(0)).isEqualTo((short) 0x0301);
    assertThat(success.get(8)).isEqualTo((byte) 1);
    assertThat(Bytes.of(success, 16, expected.length)).isEqualTo(expected);
    assertServed(queue);
  }

  @Test
  void hostAloneIsAuthenticated() throws Exception {
    HostQueue queue = connected(host);
    ByteBuffer success = chap(queue).authenticate(SHA_256, NO_GROUP, hostSecret, false);
    assertThat(success.getShort(0)).isEqualTo((short) 0x0301);
    assertThat(success.get(6)).isEqualTo((byte) 32);
    assertThat(success.get(8)).isZero();
    assertServed(queue);
  }

  @Test
  void nothingIsServedBefore() throws Exception {
    HostQueue queue = connected(host);
    assertThat(get(queue.send(Host.property(0x14, 0x460001), 0)).status()).isEqualTo(REQUIRED);
    assertThat(get(queue.send(identify(1, 0), 4096)).status()).isEqualTo(REQUIRED);
    HostChap chap = chap(queue);
    chap.begin(SHA_256, NO_GROUP);
    assertThat(get(queue.send(identify(1, 0), 4096)).status()).isEqualTo(REQUIRED);
    HostChap.send(queue, chap.reply(hostSecret, false)).orThrow();
    assertThat(get(queue.send(identify(1, 0), 4096)).status()).isEqualTo(REQUIRED);
    HostChap.receive(queue, 2048);
    assertServed(queue);
  }

  @Test
  void everyQueueAuthenticatesSeparately() throws Exception {
    HostQueue admin = connected(host);
    chap(admin).authenticate(SHA_256, NO_GROUP, hostSecret, false);
    assertServed(admin);
    int controller = page(get(admin.send(identify(1, 0), 4096))).getShort(78) & 0xffff;
    HostQueue io = opened(HostQueue.open(endpoint, host.options()));
    Outcome outcome =
        get(io.send(host.connect(1, 128, 0), host.data(subsystem, controller))).orThrow();
    assertThat(outcome.result()).isEqualTo(controller | ASKED);
    assertThat(get(io.send(Entry.io(0x02, 0, 1), BLOCK)).status()).isEqualTo(REQUIRED);
    chap(io).authenticate(SHA_256, NO_GROUP, hostSecret, false);
    assertThat(get(io.send(Entry.io(0x02, 0, 1), BLOCK)).status()).isZero();
  }

  @Test
  void wrongSecretIsRefused() throws Exception {
    HostQueue queue = connected(host);
    ByteBuffer answer = chap(queue).authenticate(SHA_256, 1, random(32, 3), false);
    assertRefused(queue, answer, 1);
  }

  @Test
  void hostThatWantsAProofWithoutASecretForItIsRefused() throws Exception {
    HostQueue queue = connected(host);
    ByteBuffer answer = chap(queue).authenticate(SHA_256, NO_GROUP, hostSecret, true);
    assertRefused(queue, answer, 1);
  }

  @Test
  void hostWithoutASecretHereMayNotConnect() throws Exception {
    Host other = host.another();
    HostQueue queue = opened(HostQueue.open(endpoint, other.options()));
    Outcome outcome = get(queue.send(other.connect(0, 32, 0), other.data(subsystem, Host.ANY)));
    assertThat(outcome.status()).isEqualTo(0x184);
    assertThat(queue.terminated()).failsWithin(PATIENCE);
  }

  @Test
  void discoveryControllerRequiresAuthenticationToo() throws Exception {
    String discovery = "nqn.2014-08.org.nvmexpress.discovery";
    HostQueue queue = opened(HostQueue.open(endpoint, host.options()));
    get(queue.send(host.connect(0, 32, 0), host.data(discovery, Host.ANY))).orThrow();
    assertThat(get(queue.send(Host.property(0x14, 0x460001), 0)).status()).isEqualTo(REQUIRED);
    new HostChap(queue, host.name(), discovery, 1)
        .authenticate(SHA_256, NO_GROUP, hostSecret, false);
    get(queue.send(Host.property(0x14, 0x460001), 0)).orThrow();
    get(queue.send(log(0x70, 1024), 1024)).orThrow();
  }

  @Test
  void hostAuthenticatesItselfAgainWithTheSecretThatHoldsNow() throws Exception {
    HostQueue queue = connected(host);
    chap(queue).authenticate(SHA_256, NO_GROUP, hostSecret, false);
    assertServed(queue);
    byte[] next = random(64, 4);
    line(host.name(), HostChap.secret(0, next));
    chap(queue).authenticate(3, NO_GROUP, next, false);
    assertServed(queue);
    assertRefused(queue, chap(queue).authenticate(3, NO_GROUP, hostSecret, false), 1);
  }

  @ParameterizedTest
  @CsvSource({"6, 1, 3", "8, 2, 2", "12, 9, 4", "42, 9, 5", "7, 2, 6", "10, 31, 6", "1, 2, 7"})
  void whatCannotBeAgreedOnIsSaid(int at, byte value, int explanation) throws Exception {
    HostQueue queue = connected(host);
    byte[] message = chap(queue).negotiation(SHA_256, NO_GROUP);
    message[at] = value;
    HostChap.send(queue, message).orThrow();
    ByteBuffer answer = HostChap.receive(queue, 16);
    assertThat(answer.get(7)).isEqualTo((byte) explanation);
    assertThat(queue.terminated()).failsWithin(PATIENCE);
  }

  @Test
  void publicValueOutsideTheGroupIsRefused() throws Exception {
    HostQueue queue = connected(host);
    HostChap chap = chap(queue);
    chap.begin(SHA_256, 1);
    byte[] reply = chap.reply(hostSecret, false);
    Arrays.fill(reply, reply.length - 256, reply.length, (byte) 0);
    HostChap.send(queue, reply).orThrow();
    assertRefused(queue, HostChap.receive(queue, 2048), 5);
  }

  @Test
  void messageOfAnotherTransactionIsRefused() throws Exception {
    HostQueue queue = connected(host);
    HostChap chap = chap(queue);
    chap.begin(SHA_256, NO_GROUP);
    byte[] reply = chap.reply(hostSecret, false);
    reply[4]++;
    HostChap.send(queue, reply).orThrow();
    assertRefused(queue, HostChap.receive(queue, 2048), 7);
  }

  @Test
  void hostThatAbortsAuthenticationIsDisconnected() throws Exception {
    HostQueue queue = connected(host);
    HostChap chap = chap(queue);
    chap.begin(SHA_256, NO_GROUP);
    HostChap.send(queue, Bytes.all(chap.message(0x00, 0xf1, 16))).orThrow();
    assertThat(queue.terminated()).failsWithin(PATIENCE);
  }

  @Test
  void commandsWithWrongFieldsAreRefused() throws Exception {
    HostQueue queue = connected(host);
    byte[] message = chap(queue).negotiation(SHA_256, NO_GROUP);
    Entry wrongProtocol = Entry.fabrics(0x05).dword(10, 0xe8010100).dword(11, message.length);
    assertThat(get(queue.send(wrongProtocol, message)).status()).isEqualTo(0x02);
    Entry wrongLength = Entry.fabrics(0x05).dword(10, 0xe9010100).dword(11, 8);
    assertThat(get(queue.send(wrongLength, message)).status()).isEqualTo(0x02);
    HostChap.send(queue, message).orThrow();
    Entry noRoom = Entry.fabrics(0x06).dword(10, 0xe9010100).dword(11, 16);
    assertThat(get(queue.send(noRoom, 16)).status()).isEqualTo(0x02);
    chap(queue).take(HostChap.receive(queue, 2048));
  }

  @Test
  void unreadableSecretsRejectAllHosts() throws Exception {
    line(host.name(), "DHHC-1:00:AAAA:");
    HostQueue queue = opened(HostQueue.open(endpoint, host.options()));
    Outcome outcome = get(queue.send(host.connect(0, 32, 0), host.data(subsystem, Host.ANY)));
    assertThat(outcome.status()).isEqualTo(0x06);
  }
}
