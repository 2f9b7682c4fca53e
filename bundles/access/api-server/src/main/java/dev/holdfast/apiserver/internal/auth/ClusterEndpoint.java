package dev.holdfast.apiserver.internal.auth;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.access.Caller;
import dev.holdfast.apiserver.internal.http.ApiException;
import dev.holdfast.apiserver.internal.http.ApiRequest;
import dev.holdfast.apiserver.internal.http.ApiResponse;
import dev.holdfast.certificates.TrustReport;
import dev.holdfast.cluster.ClusterMembers;
import dev.holdfast.cluster.IssuedToken;
import dev.holdfast.cluster.JoinAnswer;
import dev.holdfast.cluster.RotationStatus;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Members of the cluster, below {@code /cluster/v1}:
 *
 * <pre>
 *   GET    authority            the authority's certificate               anybody
 *   POST   join                 {token, request}: certificate, credential anybody with a join token
 *   POST   certificates         {request}: the caller's new certificate   nodes
 *   POST   trust                {trusted, issuer}: the authorities to trust nodes
 *   GET    rotation             how far the authority's rotation is       administrators
 *   POST   rotation[/finish]    {force}: rotates; removes the old one     administrators
 *   POST   tokens               {validSeconds}: a join token              administrators
 *   DELETE credentials/NODE     the node is refused from now on           administrators
 * </pre>
 */
public final class ClusterEndpoint {
  /** Path by which nodes renew their certificates. */
  static final List<String> CERTIFICATES = List.of("cluster", "v1", "certificates");

  private static final long DEFAULT_VALID_SECONDS = Duration.ofHours(1).toSeconds();

  private final KnownMembers members;
  private final ObjectMapper mapper = new ObjectMapper();

  /** Serves the members of the cluster, if this node has them. */
  public ClusterEndpoint(KnownMembers members) {
    this.members = members;
  }

  public ApiResponse answer(Caller caller, ApiRequest request)
      throws ApiException, StorageException {
    if (members.areAwaited()) {
      throw ApiException.membersNotKnown();
    }
    ClusterMembers cluster =
        members
            .cluster()
            .get()
            .orElseThrow(
                () ->
                    new StorageException(
                        ErrorCode.UNSUPPORTED,
                        "this node does not manage the members of the cluster: call the node that"
                            + " has the store"));
    List<String> path = request.path();
    String what = path.size() > 2 && path.get(1).equals("v1") ? path.get(2) : "";
    return switch (request.method() + " " + what + "/" + path.size()) {
      case "GET authority/3" -> json(document().put("caCertificate", cluster.authority()));
      case "POST join/3" -> join(cluster, body(request));
      case "POST certificates/3" -> renew(cluster, caller, body(request));
      case "POST trust/3" -> trust(cluster, caller, body(request));
      case "GET rotation/3" -> status(cluster.rotation().status());
      case "POST rotation/3" -> status(cluster.rotation().rotate(force(body(request))));
      case "POST rotation/4" -> {
        if (!path.get(3).equals("finish")) {
          throw ApiException.notFound(request.pathText());
        }
        yield status(cluster.rotation().finish(force(body(request))));
      }
      case "POST tokens/3" -> token(cluster, body(request));
      case "DELETE credentials/4" -> {
        cluster.revoke(path.get(3));
        yield json(document());
      }
      default -> throw ApiException.notFound(request.pathText());
    };
  }

  private ApiResponse join(ClusterMembers cluster, JsonNode body)
      throws ApiException, StorageException {
    JoinAnswer answer = cluster.join(text(body, "token"), text(body, "request"));
    return json(
        document()
            .put("node", answer.node())
            .put("caCertificate", answer.caCertificate())
            .put("certificate", answer.certificate())
            .put("credential", answer.credential()));
  }

  private ApiResponse renew(ClusterMembers cluster, Caller caller, JsonNode body)
      throws ApiException, StorageException {
    if (caller.type() != Caller.Type.NODE) {
      throw ApiException.forbidden(
          "only a node requests its certificate; that of the node with the store is renewed when"
              + " it starts");
    }
    return json(document().put("certificate", cluster.renew(caller.node(), text(body, "request"))));
  }

  private ApiResponse trust(ClusterMembers cluster, Caller caller, JsonNode body)
      throws ApiException, StorageException {
    if (caller.type() != Caller.Type.NODE) {
      throw ApiException.forbidden("only a node reports which authorities it trusts");
    }
    List<String> trusted = new ArrayList<>();
    body.path("trusted").forEach(authority -> trusted.add(authority.asText()));
    TrustReport report = new TrustReport(trusted, body.path("issuer").asText());
    return json(document().put("caCertificate", cluster.report(caller.node(), report)));
  }

  private static boolean force(JsonNode body) throws ApiException {
    JsonNode force = body.path("force");
    if (!force.isMissingNode() && !force.isBoolean()) {
      throw ApiException.badRequest("force must be true or false");
    }
    return force.asBoolean();
  }

  private ApiResponse status(RotationStatus status) {
    ObjectNode document =
        document().put("phase", status.phase().name()).put("authority", status.authority());
    status.waiting().forEach(document.putArray("waiting")::add);
    status.left().forEach(document.putArray("left")::add);
    return json(document);
  }

  private ApiResponse token(ClusterMembers cluster, JsonNode body)
      throws ApiException, StorageException {
    JsonNode seconds = body.path("validSeconds");
    if (!seconds.isMissingNode() && !seconds.canConvertToLong()) {
      throw ApiException.badRequest("validSeconds must be a number of seconds");
    }
    IssuedToken issued =
        cluster.newToken(Duration.ofSeconds(seconds.asLong(DEFAULT_VALID_SECONDS)));
    return json(
        document().put("token", issued.token().text()).put("expires", issued.expires().toString()));
  }

  private JsonNode body(ApiRequest request) throws ApiException {
    try {
      return request.body().isBlank() ? document() : mapper.readTree(request.body());
    } catch (JsonProcessingException e) {
      throw ApiException.badRequest("the body is not JSON: " + e.getOriginalMessage());
    }
  }

  private static String text(JsonNode body, String field) throws ApiException {
    JsonNode value = body.path(field);
    if (!value.isTextual() || value.textValue().isEmpty()) {
      throw ApiException.badRequest("the body needs the text \"" + field + "\"");
    }
    return value.textValue();
  }

  private ObjectNode document() {
    return mapper.createObjectNode();
  }

  private static ApiResponse json(ObjectNode document) {
    return ApiResponse.json(document);
  }
}
