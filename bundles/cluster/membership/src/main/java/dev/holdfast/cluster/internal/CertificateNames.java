package dev.holdfast.cluster.internal;

import dev.holdfast.certificates.CertificateRequest;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.node.Node;
import dev.holdfast.store.LabelSelector;
import dev.holdfast.store.ResourceStore;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Checks the names that a node's certificate may have. It must not have those of other nodes, which
 * it could impersonate. Each node may have loopback names, which never lead to another machine.
 */
final class CertificateNames {
  private static final Pattern NODE = Pattern.compile("[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?");

  private final ResourceStore store;
  private final Path ownCertificate;

  /**
   * Creates a check against the names of other nodes.
   *
   * @param ownCertificate certificate of this node, whose clients must not be redirected
   */
  CertificateNames(ResourceStore store, Path ownCertificate) {
    this.store = store;
    this.ownCertificate = ownCertificate;
  }

  void check(CertificateRequest request) throws StorageException {
    if (!NODE.matcher(request.node()).matches()) {
      throw new StorageException(
          ErrorCode.INVALID,
          "\""
              + request.node()
              + "\" is not a name for a node: lower case letters, digits and '-', at most 63");
    }
    Set<String> taken = namesOfOthers(request.node());
    for (String name : request.names()) {
      if (taken.contains(name) && !isLoopback(name) && !name.equals(request.node())) {
        throw new StorageException(
            ErrorCode.FORBIDDEN, "the name " + name + " belongs to another node");
      }
    }
  }

  private Set<String> namesOfOthers(String node) throws StorageException {
    Set<String> names = new HashSet<>(ownNames());
    for (Node other : store.list(Node.KIND, LabelSelector.ALL).items()) {
      if (!other.name().equals(node)) {
        names.add(other.name());
        names.add(other.status().address());
      }
    }
    return names;
  }

  private List<String> ownNames() throws StorageException {
    try (InputStream in = Files.newInputStream(ownCertificate)) {
      Collection<List<?>> names =
          ((X509Certificate) CertificateFactory.getInstance("X.509").generateCertificate(in))
              .getSubjectAlternativeNames();
      return names == null
          ? List.of()
          : names.stream().map(entry -> String.valueOf(entry.get(1))).toList();
    } catch (IOException e) {
      throw StorageException.io("read " + ownCertificate, e);
    } catch (GeneralSecurityException e) {
      throw new StorageException(
          ErrorCode.INVALID, ownCertificate + " cannot be read: " + e.getMessage(), e);
    }
  }

  private static boolean isLoopback(String name) {
    return name.equals("localhost") || name.startsWith("127.") || name.equals("0:0:0:0:0:0:0:1");
  }
}
