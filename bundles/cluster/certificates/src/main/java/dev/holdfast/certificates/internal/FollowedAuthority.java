package dev.holdfast.certificates.internal;

import dev.holdfast.certificates.PrivateFiles;
import dev.holdfast.certificates.TrustReport;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/** The authorities in the directory of a node whose authority is elsewhere. */
public final class FollowedAuthority {
  private FollowedAuthority() {}

  /** Returns which authorities the directory and another list trust, and which one signed here. */
  public static TrustReport report(Path directory, String others) throws StorageException {
    List<String> known = fingerprints(others);
    X509Certificate own = Pem.certificates(directory.resolve("server.crt")).get(0);
    List<String> trusted = new ArrayList<>();
    String issuer = "";
    for (X509Certificate authority : Pem.certificates(directory.resolve("ca.crt"))) {
      String fingerprint = fingerprint(authority);
      if (known.contains(fingerprint)) {
        trusted.add(fingerprint);
      }
      if (issuer.isEmpty() && TlsFiles.isSignedBy(own, authority)) {
        issuer = fingerprint;
      }
    }
    return new TrustReport(trusted, issuer);
  }

  /** Returns the fingerprints of certificates in their order. */
  public static List<String> fingerprints(String pem) throws StorageException {
    List<String> found = new ArrayList<>();
    for (X509Certificate certificate : Pem.certificates(pem, "the list of authorities")) {
      found.add(fingerprint(certificate));
    }
    return found;
  }

  private static String fingerprint(X509Certificate certificate) throws StorageException {
    try {
      byte[] digest = MessageDigest.getInstance("SHA-256").digest(certificate.getEncoded());
      return HexFormat.of().formatHex(digest);
    } catch (GeneralSecurityException e) {
      throw new StorageException(
          ErrorCode.INVALID, "an authority's certificate cannot be read: " + e.getMessage(), e);
    }
  }

  /** Trusts these authorities from now on. */
  public static void trust(Path directory, String authorities) throws StorageException {
    List<X509Certificate> parsed = Pem.certificates(authorities, "the cluster's authorities");
    Path file = directory.resolve("ca.crt");
    try {
      if (!Files.readString(file).equals(authorities)) {
        PrivateFiles.write(file, authorities.getBytes(StandardCharsets.US_ASCII));
      }
      if (parsed.size() == 1) {
        RotationFiles.dropBridge(directory, PrivateFiles::write);
      }
    } catch (IOException e) {
      throw StorageException.io("write " + file, e);
    }
  }
}
