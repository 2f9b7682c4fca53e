package dev.holdfast.access;

import dev.holdfast.resource.Checks;
import dev.holdfast.resource.Defaults;
import dev.holdfast.resource.FieldError;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * A TLS certificate by which a client proves its identity.
 *
 * @param fingerprint SHA-256 of the certificate as 64 hexadecimal digits
 * @param acceptedUntil time after which the certificate is refused, for example because a rotation
 *     replaced it; without it the certificate's own validity applies
 */
@RecordBuilder
public record ClientCertificate(String fingerprint, Optional<Instant> acceptedUntil)
    implements ClientCertificateBuilder.With {
  /** Replaces null components by their defaults. */
  public ClientCertificate {
    fingerprint = Defaults.text(fingerprint);
    acceptedUntil = Defaults.optional(acceptedUntil);
  }

  List<FieldError> validate(String field) {
    return new Checks()
        .that(
            fingerprint.matches("[0-9a-f]{64}"),
            field + ".fingerprint",
            fingerprint,
            "must be the SHA-256 of a certificate as 64 hexadecimal digits:"
                + " make the certificate with 'holdfast client add'")
        .errors();
  }
}
