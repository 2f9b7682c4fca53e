package dev.holdfast.certificates.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.certificates.AuthorityRotation;
import dev.holdfast.certificates.AuthorityRotation.Step;
import dev.holdfast.certificates.NodeAuthority;
import dev.holdfast.certificates.NodeTls;
import dev.holdfast.certificates.PrivateFiles;
import dev.holdfast.certificates.files.TlsDirectory;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.time.Clock;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.X509ExtendedTrustManager;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Rotation of a real authority, with a kill before each write. */
class RotationFilesTest {
  private static final Clock CLOCK = Clock.systemUTC();
  private static final List<String> NAMES = List.of("127.0.0.1");

  @TempDir Path directory;
  private Path first;
  private Path member;
  private String original;

  /** Simulates the end of the process before a write. */
  private static final class Killed extends Error {
    private static final long serialVersionUID = 1L;
  }

  /** A disk on which a write may kill the process. */
  private static final class MortalDisk implements RotationFiles.Disk {
    private int writesLeft;

    MortalDisk(int writes) {
      this.writesLeft = writes;
    }

    @Override
    public void write(Path file, byte[] content) throws IOException {
      if (writesLeft-- == 0) {
        throw new Killed();
      }
      PrivateFiles.write(file, content);
    }
  }

  /** A step that may be killed. */
  private interface Call {
    void on(AuthorityRotation rotation) throws StorageException;
  }

  @BeforeEach
  void join() throws Exception {
    createCluster("a");
  }

  private void createCluster(String name) throws Exception {
    first = directory.resolve(name + "-1");
    member = directory.resolve(name + "-2");
    original = Files.readString(start().caCertificate());
    String request = TlsDirectory.request(member, "node-2", NAMES);
    TlsDirectory.accept(member, original, authority().sign(TlsDirectory.parseRequest(request)));
  }

  /** Returns the first node as after a start. */
  private NodeTls start() throws StorageException {
    return TlsDirectory.prepare(first, "node-1", NAMES, CLOCK);
  }

  private NodeAuthority authority() {
    return TlsDirectory.authority(first, CLOCK);
  }

  private AuthorityRotation rotation() {
    return TlsDirectory.rotation(first, CLOCK);
  }

  private static X509ExtendedTrustManager trust(String pem, Path file) throws Exception {
    Files.writeString(file, pem);
    return TlsDirectory.trustIn(file);
  }

  private static X509Certificate[] chain(Path tls) throws Exception {
    return Pem.certificates(tls.resolve("server.crt")).toArray(X509Certificate[]::new);
  }

  private void accepts(String authorities, Path node) throws Exception {
    X509ExtendedTrustManager trust = trust(authorities, directory.resolve("trusted.crt"));
    trust.checkServerTrusted(chain(node), "ECDHE_ECDSA");
    trust.checkClientTrusted(chain(node), "EC");
  }

  private void renewMember() throws Exception {
    String authorities = authority().certificate();
    TlsDirectory.trust(member, authorities);
    String request = TlsDirectory.request(member, "node-2", NAMES);
    TlsDirectory.accept(member, authorities, authority().sign(TlsDirectory.parseRequest(request)));
  }

  /**
   * Checks that both nodes accept each other, and that a client with only the original authority
   * can connect.
   */
  private void everyPairConnects() throws Exception {
    String ofFirst = Files.readString(first.resolve("ca.crt"));
    String ofMember = Files.readString(member.resolve("ca.crt"));
    accepts(ofFirst, member);
    accepts(ofMember, first);
    accepts(original, first);
    accepts(original, member);
  }

  @Test
  void stepsReplaceTheAuthorityAndEveryPairConnectsAtEach() throws Exception {
    String key = start().keyFingerprint();
    assertThat(rotation().step()).isEmpty();

    rotation().begin();
    rotation().begin();
    assertThat(rotation().step()).contains(Step.TRUST);
    everyPairConnects();
    renewMember();
    everyPairConnects();

    rotation().sign();
    rotation().sign();
    assertThat(rotation().step()).contains(Step.SIGN);
    everyPairConnects();
    renewMember();
    everyPairConnects();
    String next = authority().certificate().substring(0, authority().certificate().length() / 2);
    accepts(next, member);
    accepts(next, first);

    rotation().finish();
    rotation().finish();
    TlsDirectory.trust(member, authority().certificate());
    endsWithOneNewAuthority();
    assertThat(start().keyFingerprint()).isEqualTo(key);
  }

  private void endsWithOneNewAuthority() throws Exception {
    assertThat(rotation().step()).isEmpty();
    String present = Files.readString(first.resolve("ca.crt"));
    assertThat(TlsDirectory.fingerprints(present))
        .hasSize(1)
        .doesNotContainAnyElementsOf(TlsDirectory.fingerprints(original));
    accepts(present, first);
    accepts(present, member);
    assertThat(chain(first)).hasSize(1);
    assertThat(chain(member)).hasSize(1);
    for (Path node : List.of(first, member)) {
      assertThatThrownBy(() -> accepts(original, node)).isInstanceOf(CertificateException.class);
    }
    assertThat(first.resolve("rotation")).isEmptyDirectory();
  }

  /**
   * Kills each step before each of its writes. The next start and a repetition complete the step.
   */
  @Test
  void nodeKilledBeforeAnyWriteCompletesTheStep() throws Exception {
    List<Call> steps =
        List.of(AuthorityRotation::begin, AuthorityRotation::sign, AuthorityRotation::finish);
    int kills = 0;
    for (int step = 0; step < steps.size(); step++) {
      boolean killed = true;
      for (int writes = 0; killed; writes++) {
        createCluster("kill-" + step + "-" + writes);
        for (Call before : steps.subList(0, step)) {
          before.on(rotation());
          renewMember();
        }
        killed = isKilled(steps.get(step), writes);
        kills += killed ? 1 : 0;
        start();
        if (step < 2) {
          everyPairConnects();
        } else {
          accepts(Files.readString(member.resolve("ca.crt")), first);
        }
        complete();
        endsWithOneNewAuthority();
      }
    }
    assertThat(kills).as("writes of a rotation").isEqualTo(12);
  }

  private boolean isKilled(Call step, int writes) throws StorageException {
    try {
      step.on(new RotationFiles(first, CLOCK, new MortalDisk(writes)));
      return false;
    } catch (Killed e) {
      return true;
    }
  }

  private void complete() throws Exception {
    if (TlsDirectory.fingerprints(authority().certificate())
        .equals(TlsDirectory.fingerprints(original))) {
      rotation().begin();
      renewMember();
    }
    if (rotation().step().isPresent()) {
      rotation().sign();
      renewMember();
    }
    rotation().finish();
    TlsDirectory.trust(member, authority().certificate());
  }

  /**
   * Some implementations, such as OpenSSL in Python and curl, compare more properties than Java.
   */
  @Test
  void opensslThatKnowsOneAuthorityAcceptsTheNewCertificate() throws Exception {
    rotation().begin();
    rotation().sign();
    String chain = first.resolve("server.crt").toString();
    Path next = first.resolve("rotation/new.crt");
    for (String known : List.of(original, Files.readString(next))) {
      Path authority = Files.writeString(directory.resolve("known.crt"), known);
      Process verify =
          new ProcessBuilder(
                  "openssl", "verify", "-CAfile", authority.toString(), "-untrusted", chain, chain)
              .redirectErrorStream(true)
              .start();
      String text = new String(verify.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
      assertThat(verify.waitFor()).as(text).isZero();
    }
  }

  @Test
  void oldAuthorityStaysWhileItSigns() throws Exception {
    rotation().begin();

    assertThatThrownBy(() -> rotation().finish())
        .isInstanceOfSatisfying(
            StorageException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID))
        .hasMessageContaining("still signs");
    assertThat(rotation().step()).isEqualTo(Optional.of(Step.TRUST));
  }

  @Test
  void authorityWhoseKeyIsElsewhereIsNotRotated() throws Exception {
    Files.delete(first.resolve("ca.key"));

    assertThatThrownBy(() -> rotation().begin())
        .isInstanceOfSatisfying(
            StorageException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.UNSUPPORTED));
    assertThat(Files.readString(first.resolve("ca.crt"))).isEqualTo(original);
  }

  @Test
  void rotationsFollowEachOther() throws Exception {
    for (int round = 0; round < 3; round++) {
      original = authority().certificate();
      rotation().begin();
      renewMember();
      rotation().sign();
      renewMember();
      everyPairConnects();
      rotation().finish();
      TlsDirectory.trust(member, authority().certificate());
      endsWithOneNewAuthority();
    }
  }
}
