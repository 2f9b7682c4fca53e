package dev.holdfast.certificates.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.certificates.CertificateRenewal;
import dev.holdfast.certificates.files.TlsDirectory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Renewal of the certificate of a node that runs longer than its certificate is valid. */
class RunningNodeRenewalTest {
  @TempDir Path directory;
  private Instant now = Instant.parse("2026-11-21T00:00:00Z");
  private final Clock clock = ((InstantSource) () -> now).withZone(ZoneOffset.UTC);

  private TlsFiles files() throws Exception {
    return TlsFiles.prepare(directory, "node-1", List.of("127.0.0.1", "::1"), clock);
  }

  private Instant end() throws Exception {
    return Pem.certificates(directory.resolve("server.crt")).get(0).getNotAfter().toInstant();
  }

  @Test
  void certificateNeverEndsWhileTheNodeRuns() throws Exception {
    TlsFiles files = files();
    String key = files.keyFingerprint();
    int renewals = 0;
    for (int day = 0; day < 100; day++) {
      now = now.plus(Duration.ofDays(1));
      renewals += files.renewIfDue() ? 1 : 0;
      assertThat(end()).isAfter(now.plus(Duration.ofDays(9)));
    }
    assertThat(renewals).isBetween(4, 5);
    assertThat(files.keyFingerprint()).isEqualTo(key);
  }

  @Test
  void certificateOfAnotherIssuerStays() throws Exception {
    TlsFiles files = files();
    Files.delete(directory.resolve("ca.key"));
    Instant before = end();
    now = now.plus(Duration.ofDays(29));

    assertThat(files.renewIfDue()).isFalse();
    assertThat(end()).isEqualTo(before);
    assertThat(TlsDirectory.isDue(directory, clock)).isTrue();
  }

  @Test
  void firstLookIsAtOnce() throws Exception {
    CountDownLatch looked = new CountDownLatch(1);
    CertificateRenewal.Attempt attempt =
        () -> {
          looked.countDown();
          return false;
        };
    CertificateRenewal renewal = CertificateRenewal.start(attempt);
    try {
      assertThat(looked.await(30, TimeUnit.SECONDS)).isTrue();
    } finally {
      renewal.close();
    }
  }
}
