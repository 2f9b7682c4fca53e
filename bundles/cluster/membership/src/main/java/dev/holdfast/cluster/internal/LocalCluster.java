package dev.holdfast.cluster.internal;

import dev.holdfast.certificates.AuthorityRotation;
import dev.holdfast.certificates.CertificateRequest;
import dev.holdfast.certificates.NodeAuthority;
import dev.holdfast.certificates.NodeTls;
import dev.holdfast.certificates.TrustReport;
import dev.holdfast.certificates.files.TlsDirectory;
import dev.holdfast.cluster.ClusterMembers;
import dev.holdfast.cluster.ClusterRotation;
import dev.holdfast.cluster.IssuedToken;
import dev.holdfast.cluster.JoinAnswer;
import dev.holdfast.cluster.JoinToken;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.node.Node;
import dev.holdfast.store.ResourceStore;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The members of the cluster whose authority and store are on this node. */
final class LocalCluster implements ClusterMembers {
  private static final Logger LOG = LoggerFactory.getLogger(LocalCluster.class);

  private final String self;
  private final NodeAuthority authority;
  private final ResourceStore store;
  private final CertificateNames names;
  private final JoinTokens tokens;
  private final NodeCredentials credentials;
  private final LocalRotation rotation;

  /**
   * Reads the stored members.
   *
   * @param directory directory of tokens and credentials
   * @param self the node that has the store
   */
  LocalCluster(
      Path directory,
      String self,
      NodeAuthority authority,
      AuthorityRotation rotation,
      NodeTls tls,
      ResourceStore store,
      Clock clock)
      throws StorageException {
    this.self = self;
    this.authority = authority;
    this.store = store;
    this.names = new CertificateNames(store, tls.certificate());
    this.tokens = new JoinTokens(directory.resolve("tokens"), clock);
    this.credentials = new NodeCredentials(directory.resolve("credentials"), clock);
    this.rotation =
        new LocalRotation(
            directory.resolve("rotation"), authority, rotation, credentials::nodes, clock);
  }

  @Override
  public synchronized IssuedToken newToken(Duration validity) throws StorageException {
    return tokens.issue(authority.certificate(), validity);
  }

  @Override
  public synchronized void revoke(String node) throws StorageException {
    if (node.equals(self)) {
      throw new StorageException(
          ErrorCode.INVALID, "node " + node + " has the store: the cluster ends with it");
    }
    credentials.revoke(node);
    rotation.forget(node);
    LOG.info("node {}: its credential was removed", node);
  }

  @Override
  public String authority() throws StorageException {
    return authority.certificate();
  }

  @Override
  public synchronized JoinAnswer join(String token, String request) throws StorageException {
    JoinToken given = JoinToken.parse(token);
    CertificateRequest wanted = TlsDirectory.parseRequest(request);
    String node = wanted.node();
    String user = Hashes.of(wanted.key().getEncoded()) + "/" + node;
    boolean again = tokens.check(given, user);
    names.check(wanted);
    if (node.equals(self) || (!again && isMember(node))) {
      throw new StorageException(
          ErrorCode.ALREADY_EXISTS,
          "the cluster has a node "
              + node
              + " already: choose another name with --name, or first 'holdfast node remove "
              + node
              + "'");
    }
    String certificate = authority.sign(wanted);
    if (!again) {
      tokens.use(given, user);
    }
    rotation.forget(node);
    String credential = credentials.issue(node);
    LOG.info("Node {} joined with the names {}", node, wanted.names());
    return new JoinAnswer(node, authority.certificate(), certificate, credential);
  }

  private boolean isMember(String node) throws StorageException {
    return credentials.has(node) || store.get(Node.KIND, node).isPresent();
  }

  @Override
  public String renew(String node, String request) throws StorageException {
    CertificateRequest wanted = TlsDirectory.parseRequest(request);
    if (!wanted.node().equals(node)) {
      throw new StorageException(
          ErrorCode.FORBIDDEN, "node " + node + " asks for the certificate of " + wanted.node());
    }
    names.check(wanted);
    LOG.info("Node {} renews its certificate with the names {}", node, wanted.names());
    return authority.sign(wanted);
  }

  @Override
  public ClusterRotation rotation() {
    return rotation;
  }

  @Override
  public String report(String node, TrustReport report) throws StorageException {
    return rotation.report(node, report);
  }

  @Override
  public Optional<String> nodeOf(String credential) {
    return credentials.nodeOf(credential);
  }
}
