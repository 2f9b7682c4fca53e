package dev.holdfast.support.internal;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.health.HealthFinding;
import dev.holdfast.health.HealthSeverity;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Reports certificates of this node that expire soon. */
final class CertificateCheck {
  static final Duration SOON = Duration.ofDays(7);

  private CertificateCheck() {}

  /**
   * Returns the certificates that expire within seven days.
   *
   * @param node name of the node
   * @param files files with certificates, by purpose
   * @param now the time
   * @throws StorageException INVALID when a file is not a certificate; IO
   */
  static List<HealthFinding> findings(String node, Map<String, Path> files, Instant now)
      throws StorageException {
    List<HealthFinding> found = new ArrayList<>();
    for (Map.Entry<String, Path> file : files.entrySet()) {
      Instant end = end(file.getValue());
      if (end.isBefore(now.plus(SOON))) {
        found.add(
            new HealthFinding(
                "CERTIFICATE_ENDS",
                end.isBefore(now) ? HealthSeverity.ERROR : HealthSeverity.WARNING,
                List.of("node/" + node),
                Optional.of(end),
                "the " + file.getKey() + " certificate of node " + node + " ends at " + end,
                "the node did not renew it, see its log for the cause; then run on that node:"
                    + " holdfast node renew --name "
                    + node));
      }
    }
    return found;
  }

  private static Instant end(Path file) throws StorageException {
    try (InputStream in = Files.newInputStream(file)) {
      Certificate first =
          CertificateFactory.getInstance("X.509").generateCertificates(in).iterator().next();
      return ((X509Certificate) first).getNotAfter().toInstant();
    } catch (CertificateException e) {
      throw new StorageException(ErrorCode.INVALID, file + ": not a certificate", e);
    } catch (IOException e) {
      throw StorageException.io("read " + file, e);
    }
  }
}
