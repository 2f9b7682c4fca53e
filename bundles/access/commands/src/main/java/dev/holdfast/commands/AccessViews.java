package dev.holdfast.commands;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.access.AccessRole;
import dev.holdfast.access.AccessToken;
import dev.holdfast.access.BuiltInRole;
import dev.holdfast.client.AccessTokens;
import dev.holdfast.resource.json.ResourceJson;
import dev.holdfast.store.ResourceList;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;

/** Formats access tokens and roles for output. Only a new token is shown with its secret. */
public final class AccessViews {
  private final ResourceJson json = new ResourceJson();

  /** Creates a view. */
  public AccessViews() {}

  /** Shows only the secret of a new token, so that a script can use it. */
  public Output created(AccessTokens.Created created) {
    return new Output(
        () -> created.secret().text(),
        () ->
            json.mapper()
                .createObjectNode()
                .put("name", created.token().name())
                .put("role", created.token().spec().role())
                .put("token", created.secret().text()));
  }

  /** Shows all tokens, with the token of the node's files first. */
  public Output tokens(ResourceList<AccessToken> tokens, Instant now) {
    return new Output(
        () -> table(tokens, now),
        () -> json.listTree(AccessToken.KIND, tokens.items(), tokens.resourceVersion()));
  }

  private static String table(ResourceList<AccessToken> tokens, Instant now) {
    Table table = new Table("NAME", "ROLE", "EXPIRES", "LAST USED", "FROM", "DESCRIPTION");
    for (AccessToken token : tokens.items()) {
      table.row(
          token.name(),
          token.spec().role(),
          expiry(token.spec().expiresAt(), now),
          token.status().lastUsedAt().map(AccessViews::seconds).orElse("never"),
          token.status().lastUsedFrom(),
          token.spec().description());
    }
    return table.orIfEmpty("No access tokens. Make one: holdfast token create NAME --role view");
  }

  private static String expiry(Optional<Instant> end, Instant now) {
    return end.map(time -> (time.isAfter(now) ? "" : "expired ") + seconds(time)).orElse("never");
  }

  private static String seconds(Instant time) {
    return time.truncatedTo(ChronoUnit.SECONDS).toString();
  }

  /** Shows a token that was removed. */
  public Output removed(String name) {
    return new Output(
        () -> "token " + name + " is removed: its requests are refused, and its watches end",
        () -> json.mapper().createObjectNode().put("removed", name));
  }

  /** Shows the built-in roles, and those of the cluster. */
  public Output roles(List<AccessRole> roles) {
    return new Output(() -> roleTable(roles), () -> roleTree(roles));
  }

  private static String roleTable(List<AccessRole> roles) {
    Table table = new Table("NAME", "BUILT-IN", "DESCRIPTION");
    for (BuiltInRole role : BuiltInRole.values()) {
      table.row(role.roleName(), "yes", role.description());
    }
    roles.forEach(role -> table.row(role.name(), "no", role.spec().description()));
    return table.toString();
  }

  private ObjectNode roleTree(List<AccessRole> roles) {
    ObjectNode tree = json.mapper().createObjectNode();
    ArrayNode items = tree.putArray("items");
    for (BuiltInRole role : BuiltInRole.values()) {
      items
          .addObject()
          .put("name", role.roleName())
          .put("builtIn", true)
          .put("description", role.description());
    }
    roles.forEach(
        role ->
            items
                .addObject()
                .put("name", role.name())
                .put("builtIn", false)
                .put("description", role.spec().description()));
    return tree;
  }
}
