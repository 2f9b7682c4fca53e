package dev.holdfast.certificates;

import java.util.List;
import java.util.Objects;

/**
 * The authorities that a node uses, each as the SHA-256 of its certificate in hexadecimal digits.
 *
 * @param trusted those that the node trusts, not null
 * @param issuer the one that signed the node's certificate; empty if the node does not trust it
 */
public record TrustReport(List<String> trusted, String issuer) {
  /** Copies the list. */
  public TrustReport {
    trusted = List.copyOf(trusted);
    Objects.requireNonNull(issuer, "issuer");
  }
}
