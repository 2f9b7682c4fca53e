package dev.holdfast.store.remote;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.certificates.TrustReport;
import dev.holdfast.cluster.ClusterAccess;
import dev.holdfast.cluster.ClusterRotation;
import dev.holdfast.cluster.IssuedToken;
import dev.holdfast.cluster.JoinAnswer;
import dev.holdfast.cluster.JoinToken;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.json.ResourceJson;
import dev.holdfast.resource.node.Node;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * The members of a cluster, accessed through the API of the node that has its store. Thread-safe.
 */
public final class RemoteCluster implements ClusterAccess {
  private static final String BASE = "/cluster/v1/";

  private final ResourceJson json = new ResourceJson();
  private final RestClient client;

  /**
   * Prepares the access; connects at the first use.
   *
   * @throws StorageException INVALID when the CA certificate is malformed
   */
  public RemoteCluster(ApiConnection connection) throws StorageException {
    this.client = new RestClient(connection, json);
  }

  /**
   * Makes this machine's node join a cluster. Trusts the server only after comparing the
   * certificate of its authority with the token. The token's secret is sent to that server only.
   *
   * @param server API of the node that has the store, not null
   * @param token of that cluster, not null
   * @param request certificate signing request as PEM, not null
   * @return certificate and credential, never null
   * @throws StorageException FORBIDDEN when the server belongs to another cluster, or refuses;
   *     INVALID; ALREADY_EXISTS; UNREACHABLE; TIMEOUT
   */
  public static JoinAnswer join(URI server, JoinToken token, String request)
      throws StorageException {
    ResourceJson json = new ResourceJson();
    String named =
        new RestClient(new ApiConnection(server, "", ""), UnverifiedServer.context(), json)
            .send(Node.KIND, "GET", BASE + "authority", Optional.empty())
            .path("caCertificate")
            .asText();
    String authority = token.authorityAmong(named);
    RemoteCluster cluster = new RemoteCluster(new ApiConnection(server, "", authority));
    ObjectNode body = cluster.document().put("token", token.text()).put("request", request);
    JsonNode answer = cluster.post("join", body);
    return new JoinAnswer(
        answer.path("node").asText(),
        answer.path("caCertificate").asText(authority),
        answer.path("certificate").asText(),
        answer.path("credential").asText());
  }

  /**
   * Gets a new certificate for the node that the connection's credential identifies.
   *
   * @param request certificate signing request as PEM, not null
   * @return the certificate as PEM, never null
   * @throws StorageException FORBIDDEN when the request names another node; INVALID; UNREACHABLE;
   *     TIMEOUT
   */
  public String renew(String request) throws StorageException {
    return post("certificates", document().put("request", request)).path("certificate").asText();
  }

  /**
   * Reports which authorities the node uses whose credential the connection has.
   *
   * @param report not null
   * @return the authorities to trust as PEM, the one that signs first, never null
   * @throws StorageException FORBIDDEN, NOT_FOUND when the server is of a release without
   *     rotations; INVALID; UNREACHABLE; TIMEOUT
   */
  String report(TrustReport report) throws StorageException {
    ObjectNode body = document().put("issuer", report.issuer());
    report.trusted().forEach(body.putArray("trusted")::add);
    return post("trust", body).path("caCertificate").asText();
  }

  @Override
  public ClusterRotation rotation() {
    return new RemoteRotation(client, json);
  }

  @Override
  public IssuedToken newToken(Duration validity) throws StorageException {
    JsonNode answer = post("tokens", document().put("validSeconds", validity.toSeconds()));
    return new IssuedToken(
        JoinToken.parse(answer.path("token").asText()),
        Instant.parse(answer.path("expires").asText()));
  }

  @Override
  public void revoke(String node) throws StorageException {
    client.send(
        Node.KIND, "DELETE", BASE + "credentials/" + RestClient.encoded(node), Optional.empty());
  }

  private JsonNode post(String what, ObjectNode body) throws StorageException {
    return client.send(Node.KIND, "POST", BASE + what, Optional.of(json.write(body)));
  }

  private ObjectNode document() {
    return json.mapper().createObjectNode();
  }
}
