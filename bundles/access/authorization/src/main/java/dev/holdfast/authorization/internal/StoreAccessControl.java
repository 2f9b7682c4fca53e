package dev.holdfast.authorization.internal;

import dev.holdfast.access.AccessBinding;
import dev.holdfast.access.AccessControl;
import dev.holdfast.access.AccessDecision;
import dev.holdfast.access.AccessRequest;
import dev.holdfast.access.AccessRole;
import dev.holdfast.access.AccessRule;
import dev.holdfast.access.AccessToken;
import dev.holdfast.access.BlockClient;
import dev.holdfast.access.BuiltInRole;
import dev.holdfast.access.Caller;
import dev.holdfast.access.TokenSecret;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Resource;
import dev.holdfast.store.ResourceStore;
import java.time.Clock;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ScheduledThreadPoolExecutor;

/** Decides by tokens, roles and bindings of a store, which it keeps in memory. Thread-safe. */
public final class StoreAccessControl implements AccessControl, AutoCloseable {
  /** Kinds that grant rights. A caller with write access to them could grant itself any right. */
  private static final Set<String> RIGHTS =
      Set.of(
          AccessToken.KIND.plural(),
          AccessRole.KIND.plural(),
          AccessBinding.KIND.plural(),
          BlockClient.KIND.plural());

  /** Rights of every known caller: to discover the kinds and its own rights. */
  private static final List<AccessRule> EVERY_CALLER =
      List.of(
          new AccessRule(
              List.of("get"),
              List.of(),
              List.of(),
              Map.of(),
              List.of("/api", "/api/*", "/apis", "/apis/*", "/openapi/*", "/version")),
          new AccessRule(
              List.of("post"),
              List.of(),
              List.of(),
              Map.of(),
              List.of(
                  "/apis/authentication.k8s.io/*",
                  "/apis/authorization.k8s.io/*",
                  "/apis/holdfast.dev/v1/watch")));

  private final Clock clock;
  private final ScheduledThreadPoolExecutor worker;
  private final KindCache<AccessToken> tokens;
  private final KindCache<AccessRole> roles;
  private final KindCache<AccessBinding> bindings;
  private final TokenUses uses;
  private final LookupLimit lookups;

  /**
   * Creates the access control without reading the store.
   *
   * @param store store with tokens, roles and bindings
   * @param clock clock for the expiry of tokens
   */
  public StoreAccessControl(ResourceStore store, Clock clock) {
    this.clock = clock;
    this.worker =
        new ScheduledThreadPoolExecutor(
            1,
            work -> {
              Thread thread = new Thread(work, "holdfast-access");
              thread.setDaemon(true);
              return thread;
            });
    worker.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    tokens = new KindCache<>(AccessToken.KIND, store, t -> t.spec().secretHash(), worker);
    roles = new KindCache<>(AccessRole.KIND, store, Resource::name, worker);
    bindings = new KindCache<>(AccessBinding.KIND, store, Resource::name, worker);
    uses = new TokenUses(store, clock, worker);
    lookups = new LookupLimit(clock);
  }

  /** Reads the store on this thread, and follows changes. */
  public void readNow() {
    tokens.connect();
    roles.connect();
    bindings.connect();
  }

  /** Reads the store on another thread, and follows changes. */
  public void readLater() {
    worker.execute(this::readNow);
  }

  @Override
  public Optional<Caller> callerOf(String token) throws StorageException {
    if (!TokenSecret.isWellFormed(token)) {
      return Optional.empty();
    }
    requireRead();
    String hash = new TokenSecret(token).hash();
    Optional<AccessToken> known = tokens.find(hash);
    if (known.isEmpty() && lookups.take()) {
      // A new token is usable before the watch reports it.
      known = tokens.read(hash);
    }
    return known.flatMap(this::caller);
  }

  @Override
  public Optional<Caller> callerWith(String hash) throws StorageException {
    requireRead();
    return tokens.find(hash).flatMap(this::caller);
  }

  private void requireRead() throws StorageException {
    if (!tokens.isRead()) {
      throw new StorageException(
          ErrorCode.UNREACHABLE, "this node starts and has not read the access tokens: try again");
    }
  }

  private Optional<Caller> caller(AccessToken token) {
    return Optional.of(token)
        .filter(found -> !found.isBeingDeleted())
        .filter(found -> found.spec().expiresAt().map(clock.instant()::isBefore).orElse(true))
        .map(found -> Caller.ofToken(found.name(), found.spec().role()));
  }

  @Override
  public AccessDecision decide(Caller caller, AccessRequest request) {
    return switch (caller.type()) {
      case ADMINISTRATOR -> AccessDecision.byRole(BuiltInRole.ADMIN.roleName());
      case NODE -> NodeRights.decide(caller.node(), request);
      case ANONYMOUS -> AccessDecision.refused("a credential is required to " + request.text());
      case TOKEN, USER -> byRoles(caller, request);
    };
  }

  private AccessDecision byRoles(Caller caller, AccessRequest request) {
    Set<String> names = rolesOf(caller);
    for (String role : names) {
      if (mayGive(role, request)
          && rulesOf(role).stream().anyMatch(rule -> rule.permits(request))) {
        return AccessDecision.byRole(role);
      }
    }
    if (EVERY_CALLER.stream().anyMatch(rule -> rule.permits(request))) {
      return AccessDecision.byRole("of every caller");
    }
    return AccessDecision.refused(
        "user \""
            + caller.name()
            + "\" may not "
            + request.text()
            + ": "
            + (names.isEmpty()
                ? "it has no role"
                : "no rule of its roles " + String.join(", ", names) + " permits it"));
  }

  private static boolean mayGive(String role, AccessRequest request) {
    return !(request.isWrite() && RIGHTS.contains(request.kind()))
        || role.equals(BuiltInRole.ADMIN.roleName());
  }

  private Set<String> rolesOf(Caller caller) {
    Set<String> names = new LinkedHashSet<>();
    if (!caller.role().isEmpty()) {
      names.add(caller.role());
    }
    for (AccessBinding binding : bindings.all()) {
      boolean bound =
          binding.spec().users().contains(caller.name())
              || binding.spec().groups().stream().anyMatch(caller.groups()::contains);
      if (bound) {
        names.add(binding.spec().role());
      }
    }
    return names;
  }

  private List<AccessRule> rulesOf(String role) {
    return BuiltInRole.named(role)
        .map(BuiltInRole::rules)
        .orElseGet(() -> roles.find(role).map(found -> found.spec().rules()).orElse(List.of()));
  }

  @Override
  public List<AccessRule> rulesOf(Caller caller) {
    List<AccessRule> rules = new ArrayList<>();
    switch (caller.type()) {
      case ADMINISTRATOR -> rules.addAll(BuiltInRole.ADMIN.rules());
      case NODE -> rules.addAll(NodeRights.RULES);
      case TOKEN, USER -> rolesOf(caller).forEach(role -> rules.addAll(rulesOf(role)));
      case ANONYMOUS -> {
        return List.of();
      }
    }
    rules.addAll(EVERY_CALLER);
    return List.copyOf(rules);
  }

  @Override
  public boolean used(Caller caller, String source) {
    return caller.type() == Caller.Type.TOKEN && uses.used(caller.name(), source);
  }

  /** Stops following changes. */
  @Override
  public void close() {
    worker.shutdown();
    tokens.close();
    roles.close();
    bindings.close();
  }
}
