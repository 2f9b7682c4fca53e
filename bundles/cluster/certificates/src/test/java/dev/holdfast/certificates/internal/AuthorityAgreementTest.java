package dev.holdfast.certificates.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.certificates.NodeTls;
import dev.holdfast.certificates.files.TlsDirectory;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.store.SharedSecrets;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AuthorityAgreementTest {
  private static final Clock CLOCK = Clock.systemUTC();

  @TempDir Path directory;

  /** Content of a shared store that can become unreachable. */
  private static final class Shared implements SharedSecrets {
    private final Map<String, Map<String, String>> kept = new ConcurrentHashMap<>();
    private boolean away;

    @Override
    public Map<String, String> agree(String name, Map<String, String> offered)
        throws StorageException {
      if (away) {
        throw new StorageException(ErrorCode.UNREACHABLE, "away");
      }
      Map<String, String> before = kept.putIfAbsent(name, offered);
      return before == null ? offered : before;
    }
  }

  private final Shared shared = new Shared();

  private NodeTls node(String name) throws StorageException {
    Path tls = directory.resolve(name);
    new AuthorityAgreement(tls, shared, CLOCK).make();
    return TlsDirectory.prepare(tls, name, List.of(name), CLOCK);
  }

  private static Certificate[] chain(NodeTls tls) throws StorageException {
    return new Certificate[] {Pem.certificates(tls.certificate()).get(0)};
  }

  @Test
  void nodesThatShareOnlyTheStoreTrustEachOther() throws Exception {
    NodeTls first = node("first");
    NodeTls second = node("second");

    X509Certificate shown = (X509Certificate) chain(second)[0];
    first.trustManager().checkClientTrusted(new X509Certificate[] {shown}, "EC");
    assertThat(first.peerName(chain(second))).isEqualTo("second");
    assertThat(Files.mismatch(first.caCertificate(), second.caCertificate())).isEqualTo(-1);
    assertThat(Files.mismatch(first.key(), second.key())).isNotEqualTo(-1);
  }

  @Test
  void nodeWithTheAuthorityDoesNotReadTheStore() throws Exception {
    String before = Files.readString(node("first").caCertificate());
    shared.kept.clear();

    assertThat(Files.readString(node("first").caCertificate())).isEqualTo(before);
    assertThat(shared.kept.get("authority")).as("offered again").containsEntry("tls.crt", before);
  }

  @Test
  void anAuthorityFromBeforeIsOffered() throws Exception {
    Path old = directory.resolve("old");
    NodeTls before = TlsDirectory.prepare(old, "old", List.of("old"), CLOCK);

    assertThat(Files.mismatch(node("old").caCertificate(), before.caCertificate())).isEqualTo(-1);
    assertThat(Files.mismatch(node("new").caCertificate(), before.caCertificate())).isEqualTo(-1);
  }

  @Test
  void theOwnersAuthorityWithoutItsKeyIsLeftAlone() throws Exception {
    NodeTls tls = node("first");
    Files.delete(directory.resolve("first/ca.key"));
    shared.kept.clear();

    node("first");

    assertThat(shared.kept).isEmpty();
    assertThat(tls.caCertificate()).exists();
  }

  @Test
  void noAuthorityIsCreatedWhileTheStoreIsUnreachable() throws Exception {
    shared.away = true;
    assertThatThrownBy(() -> node("first")).isInstanceOf(StorageException.class);
    assertThat(directory.resolve("first/ca.crt")).doesNotExist();

    shared.away = false;
    assertThat(node("first").caCertificate()).exists();
  }

  @Test
  void aSecretWithoutAnAuthorityIsRefused() throws IOException, StorageException {
    String certificate = Files.readString(node("first").caCertificate());
    Path others = directory.resolve("others");
    TlsDirectory.prepare(others, "others", List.of("others"), CLOCK);
    String key = Files.readString(others.resolve("ca.key"));

    for (Map<String, String> wrong :
        List.of(
            Map.of("tls.crt", certificate),
            Map.of("tls.crt", "none", "tls.key", key),
            Map.of("tls.crt", certificate, "tls.key", key))) {
      shared.kept.put("authority", wrong);
      assertThatThrownBy(() -> node("second")).isInstanceOf(StorageException.class);
      assertThat(directory.resolve("second/ca.crt")).doesNotExist();
    }
  }
}
