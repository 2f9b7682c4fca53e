package dev.holdfast.certificates.internal;

import dev.holdfast.certificates.CertificateRequest;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.io.StringReader;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.PublicKey;
import java.security.interfaces.ECPublicKey;
import java.security.interfaces.RSAPublicKey;
import java.security.spec.X509EncodedKeySpec;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.bouncycastle.asn1.ASN1OctetString;
import org.bouncycastle.asn1.pkcs.PKCSObjectIdentifiers;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.Extensions;
import org.bouncycastle.asn1.x509.ExtensionsGenerator;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.openssl.PEMParser;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;
import org.bouncycastle.operator.jcajce.JcaContentVerifierProviderBuilder;
import org.bouncycastle.pkcs.PKCS10CertificationRequest;
import org.bouncycastle.pkcs.PKCSException;
import org.bouncycastle.pkcs.jcajce.JcaPKCS10CertificationRequestBuilder;

/** Certificate signing requests (PKCS#10). */
public final class Requests {
  private static final int MOST_NAMES = 64;
  private static final int LARGEST = 64 << 10;
  private static final int SMALLEST_RSA_BITS = 2048;
  private static final int SMALLEST_EC_BITS = 256;

  private Requests() {}

  /** Creates a request as PEM. */
  static byte[] make(KeyPair key, String node, Collection<String> names)
      throws GeneralSecurityException, IOException {
    String algorithm =
        key.getPrivate().getAlgorithm().equals("EC") ? "SHA256withECDSA" : "SHA256withRSA";
    ExtensionsGenerator extensions = new ExtensionsGenerator();
    extensions.addExtension(
        Extension.subjectAlternativeName, false, CertificateAuthority.alternativeNames(names));
    try {
      PKCS10CertificationRequest request =
          new JcaPKCS10CertificationRequestBuilder(NodeSubject.of(node), key.getPublic())
              .addAttribute(PKCSObjectIdentifiers.pkcs_9_at_extensionRequest, extensions.generate())
              .build(new JcaContentSignerBuilder(algorithm).build(key.getPrivate()));
      return Pem.encode("CERTIFICATE REQUEST", request.getEncoded());
    } catch (OperatorCreationException e) {
      throw new GeneralSecurityException("no signer for " + algorithm + ": " + e.getMessage(), e);
    }
  }

  /** Reads a request and checks its signature. */
  public static CertificateRequest parse(String pem) throws StorageException {
    if (pem.length() > LARGEST) {
      throw invalid("is larger than " + LARGEST + " bytes", null);
    }
    try (PEMParser parser = new PEMParser(new StringReader(pem))) {
      if (!(parser.readObject() instanceof PKCS10CertificationRequest request)) {
        throw invalid("is not the PEM text of a PKCS#10 request", null);
      }
      PublicKey key = publicKey(request);
      if (!request.isSignatureValid(new JcaContentVerifierProviderBuilder().build(key))) {
        throw invalid("is not signed by the key that it is for", null);
      }
      String node =
          NodeSubject.node(request.getSubject())
              .orElseThrow(() -> invalid("has another subject than a node's", null));
      return new CertificateRequest(node, names(request), key);
    } catch (IOException
        | GeneralSecurityException
        | OperatorCreationException
        | PKCSException
        | RuntimeException e) {
      throw invalid("cannot be read: " + e.getMessage(), e);
    }
  }

  private static PublicKey publicKey(PKCS10CertificationRequest request)
      throws IOException, GeneralSecurityException, StorageException {
    byte[] encoded = request.getSubjectPublicKeyInfo().getEncoded();
    boolean rsa =
        request
            .getSubjectPublicKeyInfo()
            .getAlgorithm()
            .getAlgorithm()
            .equals(PKCSObjectIdentifiers.rsaEncryption);
    PublicKey key =
        KeyFactory.getInstance(rsa ? "RSA" : "EC").generatePublic(new X509EncodedKeySpec(encoded));
    boolean strong =
        (key instanceof RSAPublicKey r && r.getModulus().bitLength() >= SMALLEST_RSA_BITS)
            || (key instanceof ECPublicKey e
                && e.getParams().getOrder().bitLength() >= SMALLEST_EC_BITS);
    if (!strong) {
      throw invalid(
          "has a key that is too short: use an elliptic curve of 256 bits, or RSA of 2048", null);
    }
    return key;
  }

  private static List<String> names(PKCS10CertificationRequest request)
      throws StorageException, UnknownHostException {
    Extensions extensions = request.getRequestedExtensions();
    GeneralNames found =
        extensions == null
            ? null
            : GeneralNames.fromExtensions(extensions, Extension.subjectAlternativeName);
    List<String> names = new ArrayList<>();
    for (GeneralName name : found == null ? new GeneralName[0] : found.getNames()) {
      switch (name.getTagNo()) {
        case GeneralName.dNSName -> names.add(name.getName().toString());
        case GeneralName.iPAddress ->
            names.add(
                InetAddress.getByAddress(ASN1OctetString.getInstance(name.getName()).getOctets())
                    .getHostAddress());
        default -> throw invalid("requests a name that is neither a host nor an address", null);
      }
    }
    if (names.size() > MOST_NAMES) {
      throw invalid("asks for more than " + MOST_NAMES + " names", null);
    }
    return names;
  }

  private static StorageException invalid(String problem, Exception cause) {
    return new StorageException(
        ErrorCode.INVALID, "the certificate signing request " + problem, cause);
  }
}
