package dev.holdfast.access;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * The sender of a request, as its credential names it.
 *
 * @param type of the credential
 * @param name of the user; for a node {@code holdfast:node:} and the node's name
 * @param groups of the user, in ascending order
 * @param role the role of the credential, empty if only bindings give rights
 */
public record Caller(Type type, String name, List<String> groups, String role) {
  /** Name of the user whose token stands in the files of a node. */
  public static final String LOCAL_ADMIN = "local-admin";

  /** Group of users with all rights by their credential. */
  public static final String ADMINISTRATORS = "holdfast:administrators";

  /** Group of all member nodes of the cluster. */
  public static final String NODES = "holdfast:nodes";

  /** Group of all users with a valid credential. */
  public static final String AUTHENTICATED = "holdfast:authenticated";

  /** Prefix of the names of users and groups of an {@link IdentityProvider}. */
  public static final String USER_PREFIX = "oidc:";

  /** The sender of a request without a credential. */
  public static final Caller ANONYMOUS =
      new Caller(Type.ANONYMOUS, "holdfast:anonymous", List.of(), "");

  /** The sender of a request with the token that stands in the files of the node. */
  public static final Caller ADMINISTRATOR =
      new Caller(Type.ADMINISTRATOR, LOCAL_ADMIN, List.of(ADMINISTRATORS, AUTHENTICATED), "admin");

  private static final String NODE_PREFIX = "holdfast:node:";

  /** Types of credentials. */
  public enum Type {
    /** The token in the files of the node: all rights, also while the store does not answer. */
    ADMINISTRATOR,
    /** An {@link AccessToken}: the rights of its role and of bindings. */
    TOKEN,
    /** A user whom an {@link IdentityProvider} or a certificate names: the rights of bindings. */
    USER,
    /** The credential of a member node: the rights that its controllers need. */
    NODE,
    /** No credential. */
    ANONYMOUS
  }

  /** Copies the list and rejects null components. */
  public Caller {
    Objects.requireNonNull(type, "type");
    Objects.requireNonNull(name, "name");
    groups = List.copyOf(groups);
    Objects.requireNonNull(role, "role");
  }

  /** Returns the caller with an access token. */
  public static Caller ofToken(String name, String role) {
    return new Caller(Type.TOKEN, name, List.of(AUTHENTICATED), role);
  }

  /** Returns the caller whom an identity provider or a certificate names. */
  public static Caller ofUser(UserCredential user) {
    List<String> groups = new ArrayList<>(user.groups());
    groups.add(AUTHENTICATED);
    return new Caller(Type.USER, user.name(), groups.stream().sorted().toList(), "");
  }

  /** Returns the caller with the credential of a node. */
  public static Caller ofNode(String node) {
    return new Caller(Type.NODE, NODE_PREFIX + node, List.of(AUTHENTICATED, NODES), "");
  }

  /** Returns the name of the node, empty if the caller is not a node. */
  public String node() {
    return type == Type.NODE ? name.substring(NODE_PREFIX.length()) : "";
  }
}
