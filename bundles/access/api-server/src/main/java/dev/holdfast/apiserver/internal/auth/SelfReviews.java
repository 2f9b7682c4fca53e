package dev.holdfast.apiserver.internal.auth;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.access.AccessControl;
import dev.holdfast.access.AccessDecision;
import dev.holdfast.access.AccessRequest;
import dev.holdfast.access.AccessRule;
import dev.holdfast.access.Caller;
import dev.holdfast.apiserver.internal.http.ApiException;
import dev.holdfast.apiserver.internal.http.ApiRequest;
import dev.holdfast.apiserver.internal.http.ApiResponse;
import dev.holdfast.resource.ResourceKind;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Self reviews of {@code kubectl auth whoami} and {@code kubectl auth can-i}: SelfSubjectReview,
 * SelfSubjectAccessReview and SelfSubjectRulesReview.
 */
public final class SelfReviews {
  /** The group of SelfSubjectReview. */
  public static final String AUTHENTICATION = "authentication.k8s.io";

  /** The group of the two others. */
  public static final String AUTHORIZATION = "authorization.k8s.io";

  private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

  private final AccessControl access;
  private final RequestReader.Objects objects;

  /** Creates the reviews by the rights of callers. */
  public SelfReviews(AccessControl access, RequestReader.Objects objects) {
    this.access = access;
    this.objects = objects;
  }

  /** Answers {@code POST /apis/GROUP/v1/KIND}. */
  public ApiResponse answer(Caller caller, ApiRequest request) throws ApiException {
    String path = request.method() + " " + request.pathText();
    return switch (path) {
      case "POST /apis/" + AUTHENTICATION + "/v1/selfsubjectreviews" -> whoAmI(caller);
      case "POST /apis/" + AUTHORIZATION + "/v1/selfsubjectaccessreviews" ->
          canI(caller, body(request));
      case "POST /apis/" + AUTHORIZATION + "/v1/selfsubjectrulesreviews" -> rules(caller);
      default -> throw ApiException.notFound(request.pathText());
    };
  }

  private JsonNode body(ApiRequest request) throws ApiException {
    return request.isProtobuf() ? ReviewBody.parse(request.body()) : objects.body(request);
  }

  /** Returns whether a path is that of a review, which changes nothing. */
  public static boolean isReview(List<String> path) {
    return path.size() > 1
        && path.get(0).equals("apis")
        && (path.get(1).equals(AUTHENTICATION) || path.get(1).equals(AUTHORIZATION));
  }

  private static ApiResponse whoAmI(Caller caller) {
    ObjectNode answer = document(AUTHENTICATION, "SelfSubjectReview");
    ObjectNode user = answer.putObject("status").putObject("userInfo");
    user.put("username", caller.name());
    addAll(user.putArray("groups"), caller.groups());
    return ApiResponse.json(201, answer, List.of());
  }

  private ApiResponse canI(Caller caller, JsonNode body) throws ApiException {
    JsonNode spec = body.path("spec");
    AccessRequest asked;
    if (spec.path("resourceAttributes").isObject()) {
      asked = resource(spec.path("resourceAttributes"));
    } else if (spec.path("nonResourceAttributes").isObject()) {
      JsonNode path = spec.path("nonResourceAttributes");
      asked = AccessRequest.ofPath(path.path("verb").asText(""), path.path("path").asText(""));
    } else {
      throw ApiException.badRequest(
          "spec.resourceAttributes or spec.nonResourceAttributes: a value is required");
    }
    AccessDecision decision = access.decide(caller, asked);
    ObjectNode answer = document(AUTHORIZATION, "SelfSubjectAccessReview");
    answer.set("spec", spec);
    answer.putObject("status").put("allowed", decision.allowed()).put("reason", decision.reason());
    return ApiResponse.json(201, answer, List.of());
  }

  /**
   * Returns the access for a resource. A kind of another group does not exist here, so rules never
   * permit it.
   */
  private AccessRequest resource(JsonNode attributes) {
    String group = attributes.path("group").asText("");
    String plural = attributes.path("resource").asText("");
    boolean ours =
        group.equals(ResourceKind.GROUP)
            || group.equals(AccessRule.ALL)
            || (group.isEmpty() && plural.equals("events"));
    String verb = attributes.path("verb").asText("");
    String name = attributes.path("name").asText("");
    return ours
        ? AccessRequest.of(
            verb,
            plural,
            attributes.path("subresource").asText(""),
            name,
            () -> name.isEmpty() ? Map.of() : objects.labels(plural, name))
        : AccessRequest.ofPath(verb, plural + "." + group);
  }

  /**
   * Returns the rules of a caller. The namespace in the body is ignored, because all kinds are
   * cluster-wide.
   */
  private ApiResponse rules(Caller caller) {
    ObjectNode answer = document(AUTHORIZATION, "SelfSubjectRulesReview");
    answer.putObject("spec");
    ObjectNode status = answer.putObject("status");
    ArrayNode resources = status.putArray("resourceRules");
    ArrayNode paths = status.putArray("nonResourceRules");
    for (AccessRule rule : access.rulesOf(caller)) {
      if (rule.paths().isEmpty()) {
        ObjectNode node = resources.addObject();
        addAll(node.putArray("verbs"), rule.verbs());
        node.putArray("apiGroups").add(ResourceKind.GROUP);
        addAll(node.putArray("resources"), kinds(rule));
        addAll(node.putArray("resourceNames"), rule.names());
      } else {
        ObjectNode node = paths.addObject();
        addAll(node.putArray("verbs"), rule.verbs());
        addAll(node.putArray("nonResourceURLs"), rule.paths());
      }
    }
    // The rights of a node also depend on the object.
    status.put("incomplete", caller.type() == Caller.Type.NODE);
    return ApiResponse.json(201, answer, List.of());
  }

  private static List<String> kinds(AccessRule rule) {
    List<String> kinds = new ArrayList<>(rule.kinds());
    kinds.replaceAll(kind -> kind.equals(AccessRule.ALL_KINDS) ? AccessRule.ALL : kind);
    return kinds;
  }

  private static ObjectNode document(String group, String kind) {
    ObjectNode node = NODES.objectNode();
    node.put("apiVersion", group + "/v1");
    node.put("kind", kind);
    node.putObject("metadata").putNull("creationTimestamp");
    return node;
  }

  private static void addAll(ArrayNode array, List<String> texts) {
    texts.forEach(array::add);
  }
}
