package dev.holdfast.store.kubernetes.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.access.AccessDecision;
import dev.holdfast.access.AccessRequest;
import dev.holdfast.access.Caller;
import dev.holdfast.access.UserCredential;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tokens and rights of a service account, reviewed by a real API server. */
@Tag("slow")
class KubernetesUsersTest {
  private static final String NAME = "kubernetes:system:serviceaccount:default:reader";

  private final AtomicLong nanos = new AtomicLong();
  private Kubectl kubectl;
  private KubernetesConnection connection;
  private KubernetesUsers users;

  @BeforeEach
  void makeAccount() throws Exception {
    kubectl = new Kubectl(TestCluster.server().kubeconfig());
    connection = TestCluster.connect(TestCluster.server().kubeconfig());
    users = new KubernetesUsers(connection, nanos::get);
    kubectl("create", "serviceaccount", "reader");
    kubectl("create", "clusterrole", "reader", "--verb=list", "--resource=volumes.holdfast.dev");
    kubectl(
        "create",
        "clusterrolebinding",
        "reader",
        "--clusterrole=reader",
        "--serviceaccount=default:reader");
  }

  @AfterEach
  void removeAccount() throws Exception {
    kubectl("delete", "clusterrolebinding/reader", "clusterrole/reader");
    kubectl("delete", "--ignore-not-found", "serviceaccount/reader");
    connection.close();
  }

  private String kubectl(String... arguments) throws Exception {
    Kubectl.Result result = kubectl.run(arguments);
    assertThat(result.code()).as(result.output()).isZero();
    return result.output().strip();
  }

  private Caller reader() throws Exception {
    String token = kubectl("create", "token", "reader");
    assertThat(users.known(token)).isEmpty();
    UserCredential user = users.review(token).orElseThrow();
    assertThat(users.known(token)).contains(user);
    return Caller.ofUser(user);
  }

  private static AccessRequest volumes(String verb) {
    return AccessRequest.of(verb, "volumes", "", "", Map::of);
  }

  @Test
  void userOfAnotherClusterIsNotAccepted() throws Exception {
    UserCredential user = users.review(kubectl("create", "token", "reader")).orElseThrow();

    assertThat(users.accepts(user)).isTrue();
    assertThat(users.accepts(new UserCredential("https://other", user.name(), user.groups())))
        .isFalse();
    assertThat(users.accepts(new UserCredential(user.issuer(), "oidc:reader", List.of())))
        .isFalse();
  }

  @Test
  void tokenNamesTheUserAndItsGroups() throws Exception {
    Caller reader = reader();

    assertThat(reader.name()).isEqualTo(NAME);
    assertThat(reader.groups()).contains("kubernetes:system:serviceaccounts", Caller.AUTHENTICATED);
  }

  @Test
  void unknownTokenNamesNoUser() throws Exception {
    assertThat(users.review("not-a-token")).isEmpty();
    assertThat(users.known("not-a-token")).isEmpty();
  }

  @Test
  void rightsAreThoseOfTheCluster() throws Exception {
    Caller reader = reader();
    AccessDecision listed = awaitPermission(reader, volumes("list"));

    assertThat(listed.reason()).startsWith("Kubernetes: RBAC: allowed by");
    AccessDecision deleted = users.decide(reader, volumes("delete"));
    assertThat(deleted.allowed()).isFalse();
    assertThat(deleted.reason()).contains("Kubernetes does not permit to delete volumes");
    AccessRequest metrics = AccessRequest.ofPath("get", "/metrics");
    assertThat(users.decide(reader, metrics).allowed()).isFalse();
  }

  /** Waits for the permission, because the server applies a role some time after the write. */
  private AccessDecision awaitPermission(Caller reader, AccessRequest request) {
    long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(1);
    AccessDecision decision = users.decide(reader, request);
    while (!decision.allowed() && System.nanoTime() < deadline) {
      nanos.addAndGet(Duration.ofSeconds(11).toNanos());
      decision = users.decide(reader, request);
    }
    assertThat(decision.allowed()).as(decision.reason()).isTrue();
    return decision;
  }

  /** The server itself accepts the token for 10 s more. */
  @Test
  void tokenOfARemovedAccountEnds() throws Exception {
    String token = kubectl("create", "token", "reader");
    Optional<UserCredential> user = users.review(token);
    kubectl("delete", "serviceaccount/reader");

    nanos.addAndGet(Duration.ofSeconds(9).toNanos());
    assertThat(users.review(token)).isPresent().isEqualTo(user);
    long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(1);
    while (users.review(token).isPresent() && System.nanoTime() < deadline) {
      nanos.addAndGet(Duration.ofSeconds(11).toNanos());
    }
    assertThat(users.review(token)).isEmpty();
  }
}
