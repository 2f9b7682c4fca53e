package dev.holdfast.store.kubernetes.internal;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.access.AccessDecision;
import dev.holdfast.access.AccessRequest;
import dev.holdfast.access.Caller;
import dev.holdfast.access.ClusterUsers;
import dev.holdfast.access.UserCredential;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.ResourceKind;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Identifies the user of a token by a TokenReview, and checks permissions by a SubjectAccessReview.
 * Results are cached for 10 seconds. At most 8 requests are open, because any client can send an
 * unknown token.
 */
final class KubernetesUsers implements ClusterUsers {
  private static final Logger LOG = LoggerFactory.getLogger(KubernetesUsers.class);
  private static final long FRESH_NANOS = Duration.ofSeconds(10).toNanos();
  private static final long KNOWN_NANOS = Duration.ofMinutes(10).toNanos();
  private static final int TOKENS = 1024;
  private static final int DECISIONS = 8192;
  private static final int QUESTIONS = 8;

  private final KubernetesConnection connection;
  private final LongSupplier nanos;
  private final Semaphore questions = new Semaphore(QUESTIONS);

  /** Keyed by hashes of tokens, so that no token stays in memory. */
  private final RecentAnswers<String, Optional<UserCredential>> users;

  private final RecentAnswers<Question, AccessDecision> decisions;

  /** The checked permission, the key of the cached decision. */
  private record Question(
      String user,
      List<String> groups,
      String verb,
      String kind,
      String subresource,
      String name,
      String path) {}

  /**
   * Creates the checks with empty caches.
   *
   * @param nanos clock in nanoseconds
   */
  KubernetesUsers(KubernetesConnection connection, LongSupplier nanos) {
    this.connection = connection;
    this.nanos = nanos;
    this.users = new RecentAnswers<>(TOKENS);
    this.decisions = new RecentAnswers<>(DECISIONS);
  }

  @Override
  public Optional<UserCredential> known(String token) {
    return users.find(hash(token), nanos.getAsLong(), KNOWN_NANOS).flatMap(user -> user);
  }

  @Override
  public Optional<UserCredential> review(String token) throws StorageException {
    String hash = hash(token);
    Optional<Optional<UserCredential>> before = users.find(hash, nanos.getAsLong(), FRESH_NANOS);
    if (before.isPresent()) {
      return before.get();
    }
    ObjectNode review = document("authentication.k8s.io/v1", "TokenReview");
    review.putObject("spec").put("token", token);
    JsonNode status = ask("/apis/authentication.k8s.io/v1/tokenreviews", review);
    Optional<UserCredential> user =
        status.path("authenticated").asBoolean()
            ? Optional.of(user(status.path("user")))
            : Optional.empty();
    users.put(hash, user, nanos.getAsLong());
    return user;
  }

  private UserCredential user(JsonNode user) {
    List<String> groups = new ArrayList<>();
    user.path("groups").forEach(group -> groups.add(PREFIX + group.asText()));
    return new UserCredential(connection.server(), PREFIX + user.path("username").asText(), groups);
  }

  @Override
  public boolean accepts(UserCredential user) {
    return user.issuer().equals(connection.server()) && user.name().startsWith(PREFIX);
  }

  @Override
  public AccessDecision decide(Caller caller, AccessRequest request) {
    Question question =
        new Question(
            caller.name().substring(PREFIX.length()),
            caller.groups().stream()
                .filter(group -> group.startsWith(PREFIX))
                .map(group -> group.substring(PREFIX.length()))
                .toList(),
            request.verb(),
            request.kind(),
            request.subresource(),
            request.name(),
            request.path());
    Optional<AccessDecision> before = decisions.find(question, nanos.getAsLong(), FRESH_NANOS);
    if (before.isPresent()) {
      return before.get();
    }
    try {
      AccessDecision decision = decision(request, ask(question));
      decisions.put(question, decision, nanos.getAsLong());
      return decision;
    } catch (StorageException e) {
      LOG.warn("user {}: could not review a request: {}", question.user(), e.getMessage());
      return decisions
          .find(question, nanos.getAsLong(), Long.MAX_VALUE)
          .orElseGet(
              () ->
                  AccessDecision.refused(
                      "user \""
                          + caller.name()
                          + "\": could not read its rights from Kubernetes: "
                          + e.getMessage()));
    }
  }

  private static AccessDecision decision(AccessRequest request, JsonNode status) {
    String reason = status.path("reason").asText();
    return status.path("allowed").asBoolean()
        ? new AccessDecision(true, "Kubernetes: " + reason)
        : AccessDecision.refused(
            "Kubernetes does not permit to "
                + request.text()
                + (reason.isEmpty() ? "" : ": " + reason));
  }

  private JsonNode ask(Question question) throws StorageException {
    ObjectNode review = document("authorization.k8s.io/v1", "SubjectAccessReview");
    ObjectNode spec = review.putObject("spec").put("user", question.user());
    ArrayNode groups = spec.putArray("groups");
    question.groups().forEach(groups::add);
    if (question.kind().isEmpty()) {
      spec.putObject("nonResourceAttributes")
          .put("verb", question.verb())
          .put("path", question.path());
    } else {
      spec.putObject("resourceAttributes")
          .put("group", ResourceKind.GROUP)
          .put("version", ResourceKind.VERSION)
          .put("resource", question.kind())
          .put("subresource", question.subresource())
          .put("verb", question.verb())
          .put("name", question.name());
    }
    return ask("/apis/authorization.k8s.io/v1/subjectaccessreviews", review);
  }

  private static ObjectNode document(String version, String kind) {
    return JsonNodeFactory.instance.objectNode().put("apiVersion", version).put("kind", kind);
  }

  /** Returns the status of a review. */
  private JsonNode ask(String path, ObjectNode review) throws StorageException {
    if (!questions.tryAcquire()) {
      throw new StorageException(
          ErrorCode.BUSY, "too many users of Kubernetes are being reviewed: try again");
    }
    try {
      KubernetesConnection.Answer answer =
          connection.send("POST", path, "application/json", Optional.of(review.toString()));
      if (answer.isSuccess()) {
        return answer.document().path("status");
      }
      boolean refused = answer.status() == 401 || answer.status() == 403;
      throw new StorageException(
          refused ? ErrorCode.FORBIDDEN : ErrorCode.UNREACHABLE,
          "review of a user: "
              + answer.document().path("message").asText("HTTP " + answer.status())
              + (refused ? ": set access.reviews of the chart's values to true" : ""));
    } finally {
      questions.release();
    }
  }

  private static String hash(String token) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      return HexFormat.of().formatHex(digest.digest(token.getBytes(StandardCharsets.UTF_8)));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }
}
