package dev.holdfast.certificates.internal;

import java.util.Optional;
import org.bouncycastle.asn1.ASN1ObjectIdentifier;
import org.bouncycastle.asn1.x500.RDN;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x500.X500NameBuilder;
import org.bouncycastle.asn1.x500.style.BCStyle;
import org.bouncycastle.asn1.x500.style.IETFUtils;

/** Form of the subject of a node's certificate: {@code O=holdfast:nodes, CN=<node>}. */
final class NodeSubject {
  private static final String ORGANIZATION = "holdfast:nodes";

  private NodeSubject() {}

  static X500Name of(String node) {
    return new X500NameBuilder().addRDN(BCStyle.O, ORGANIZATION).addRDN(BCStyle.CN, node).build();
  }

  /** Returns the node's name if the subject is a node's. */
  static Optional<String> node(X500Name subject) {
    return text(subject, BCStyle.O)
        .filter(ORGANIZATION::equals)
        .flatMap(organization -> text(subject, BCStyle.CN))
        .filter(name -> !name.isEmpty());
  }

  /** Returns the only value of an attribute; empty when it occurs twice. */
  private static Optional<String> text(X500Name subject, ASN1ObjectIdentifier attribute) {
    RDN[] values = subject.getRDNs(attribute);
    return values.length == 1 && !values[0].isMultiValued()
        ? Optional.of(IETFUtils.valueToString(values[0].getFirst().getValue()))
        : Optional.empty();
  }
}
