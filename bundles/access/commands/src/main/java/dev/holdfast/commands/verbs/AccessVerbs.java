package dev.holdfast.commands.verbs;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.access.audit.AuditFilter;
import dev.holdfast.access.audit.AuditFolder;
import dev.holdfast.client.AccessTokens;
import dev.holdfast.client.SupportPaths;
import dev.holdfast.commands.AccessViews;
import dev.holdfast.commands.AuditViews;
import dev.holdfast.commands.Output;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The verbs {@code token …}, {@code role …} and {@code audit}, for rights of users and records of
 * their requests.
 */
final class AccessVerbs {
  private static final String NEVER = "never";
  private static final String DEFAULT_EXPIRY = "90d";

  private static final VerbArgument<String> NEW_NAME =
      VerbArgument.of(
          "NAME", String.class, Candidates.NONE, "The token's name, which is the user's name.");
  private static final VerbArgument<String> NAME =
      VerbArgument.of("NAME", String.class, Candidates.TOKENS, "The token's name.");
  private static final VerbOption<String> ROLE =
      VerbOption.of(
              "--role",
              "ROLE",
              String.class,
              "Rights of the token: view, operate, admin, metrics, support, or a role of the"
                  + " cluster.")
          .given(VerbOption.Presence.REQUIRED);
  private static final VerbOption<String> EXPIRES =
      VerbOption.of(
              "--expires",
              "PERIOD",
              String.class,
              "Validity such as 12h or 30d, or never. Default: " + DEFAULT_EXPIRY + ".")
          .or(DEFAULT_EXPIRY);
  private static final VerbOption<String> DESCRIPTION =
      VerbOption.of("--description", "TEXT", String.class, "Purpose of the token.");
  private static final VerbOption<String> USER =
      VerbOption.of("--user", "USER", String.class, "Only requests of this user.");
  private static final VerbOption<String> VERB =
      VerbOption.of("--verb", "VERB", String.class, "Only this verb, such as create or delete.");
  private static final VerbOption<String> KIND =
      VerbOption.of("--kind", "KIND", String.class, "Only this kind, such as volumes.");
  private static final VerbOption<String> OBJECT =
      VerbOption.of("--name", "NAME", String.class, "Only the object of this name.");
  private static final VerbOption<String> SINCE =
      VerbOption.of("--since", "PERIOD", String.class, "Only this recent period, such as 24h.");

  static final List<Verb> TOKENS =
      List.of(
          new Verb(
              "token create",
              List.of(NEW_NAME),
              List.of(ROLE, EXPIRES, DESCRIPTION),
              """
              Make an access token of a user or a program, and print it.
              The cluster keeps only its hash: it is not shown again.""",
              AccessVerbs::create),
          new Verb(
              "token list",
              List.of(),
              List.of(),
              "Show the access tokens with their roles and their last use.",
              call ->
                  new AccessViews().tokens(tokens(call).list(), call.context().clock().instant())),
          new Verb(
              "token rotate",
              List.of(NAME),
              List.of(),
              """
              Replace an access token by a new one with the same role and end, and print it.
              The former token is refused within some seconds, and its watches end.""",
              call -> new AccessViews().created(tokens(call).rotate(call.get(NAME)))),
          new Verb(
              "token remove",
              List.of(NAME),
              List.of(),
              "Remove an access token: its requests are refused, and its watches end.",
              AccessVerbs::remove));

  static final List<Verb> ROLES =
      List.of(
          new Verb(
              "role list",
              List.of(),
              List.of(),
              "Show the built-in roles and those of the cluster.",
              call -> new AccessViews().roles(tokens(call).roles())));

  static final Verb AUDIT =
      new Verb(
          "audit",
          List.of(),
          List.of(USER, VERB, KIND, OBJECT, SINCE),
          "Show the audit logs of all nodes: changes with their users, and rejected requests.",
          AccessVerbs::audit);

  private AccessVerbs() {}

  private static AccessTokens tokens(VerbCall call) throws StorageException {
    return new AccessTokens(call.context().store());
  }

  private static Output create(VerbCall call) throws StorageException {
    String expires = call.get(EXPIRES);
    Optional<Instant> end =
        expires.equals(NEVER)
            ? Optional.empty()
            : Optional.of(call.context().clock().instant().plus(Period.of(EXPIRES, expires)));
    if (end.isEmpty()) {
      call.context().warn("the token is valid until it is removed: remove it after its last use");
    }
    return new AccessViews()
        .created(
            tokens(call)
                .create(
                    call.get(NEW_NAME), call.get(ROLE), end, call.value(DESCRIPTION).orElse("")));
  }

  private static Output remove(VerbCall call) throws StorageException {
    tokens(call).remove(call.get(NAME));
    return new AccessViews().removed(call.get(NAME));
  }

  private static Output audit(VerbCall call) throws StorageException {
    Optional<String> since = call.value(SINCE);
    Optional<Instant> start =
        since.isEmpty()
            ? Optional.empty()
            : Optional.of(call.context().clock().instant().minus(Period.of(SINCE, since.get())));
    try {
      return ofAllNodes(call, start);
    } catch (StorageException e) {
      if (e.code() != ErrorCode.UNREACHABLE && e.code() != ErrorCode.UNSUPPORTED) {
        throw e;
      }
      call.context().warn("only the node on this host is shown: " + e.getMessage());
      return ofThisNode(call, start);
    }
  }

  private static Output ofAllNodes(VerbCall call, Optional<Instant> start) throws StorageException {
    Map<String, Optional<String>> parameters = new TreeMap<>();
    parameters.put("user", call.value(USER));
    parameters.put("verb", call.value(VERB));
    parameters.put("kind", call.value(KIND));
    parameters.put("name", call.value(OBJECT));
    parameters.put("since", start.map(Instant::toString));
    JsonNode report = call.context().document(SupportPaths.query(SupportPaths.AUDIT, parameters));
    for (JsonNode node : report.path("nodes")) {
      if (node.has("error")) {
        call.context()
            .warn(
                "node "
                    + node.path("name").asText()
                    + " is left out: "
                    + node.path("error").asText());
      } else if (!node.path("complete").asBoolean(true)) {
        call.context()
            .warn(
                "node "
                    + node.path("name").asText()
                    + ": only its newest events are shown: select by --since or --user");
      }
    }
    List<JsonNode> events = new ArrayList<>();
    report.path("items").forEach(events::add);
    return new AuditViews().events(events);
  }

  private static Output ofThisNode(VerbCall call, Optional<Instant> start) throws StorageException {
    AuditFilter filter =
        new AuditFilter(
            call.value(USER), call.value(VERB), call.value(KIND), call.value(OBJECT), start);
    List<JsonNode> events = new ArrayList<>();
    AuditFolder.ofNode(call.context().data()).read(filter, events::add);
    return new AuditViews().events(events);
  }
}
