package dev.holdfast.access;

import dev.holdfast.resource.Checks;
import dev.holdfast.resource.Defaults;
import dev.holdfast.resource.FieldError;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Permits requests: requests for resources by verb, kind, name and labels, and requests for other
 * paths by verb and path.
 *
 * @param verbs get, list, watch, create, update, patch, delete, deletecollection; of paths the
 *     method in lower case, such as get or post; * for all
 * @param kinds plurals of kinds such as volumes, with a subresource as volumes/status; * for all
 *     kinds and their status except accesstokens, and {@literal *}/* for all kinds and all
 *     subresources
 * @param names names of resources, in which * stands for any text; empty for all
 * @param labels labels that the resource must have; empty for none
 * @param paths paths outside of the kinds, such as /metrics; a path that ends with * matches all
 *     paths with that beginning
 */
@RecordBuilder
public record AccessRule(
    List<String> verbs,
    List<String> kinds,
    List<String> names,
    Map<String, String> labels,
    List<String> paths)
    implements AccessRuleBuilder.With {
  /** Stands for all verbs, or for all kinds with their status. */
  public static final String ALL = "*";

  /** Stands for all kinds with all subresources. */
  public static final String ALL_KINDS = "*/*";

  private static final Set<String> VERBS =
      Set.of(
          ALL,
          "get",
          "list",
          "watch",
          "create",
          "update",
          "patch",
          "delete",
          "deletecollection",
          "post",
          "put");
  private static final String STATUS = "status";

  /** Replaces null components by their defaults. */
  public AccessRule {
    verbs = Defaults.list(verbs);
    kinds = Defaults.list(kinds);
    names = Defaults.list(names);
    labels = Defaults.map(labels);
    paths = Defaults.list(paths);
  }

  /** Returns a rule for kinds with all names and labels. */
  static AccessRule forKinds(List<String> verbs, String... kinds) {
    return new AccessRule(verbs, List.of(kinds), List.of(), Map.of(), List.of());
  }

  /** Returns a rule for paths. */
  static AccessRule forPaths(List<String> verbs, String... paths) {
    return new AccessRule(verbs, List.of(), List.of(), Map.of(), List.of(paths));
  }

  List<FieldError> validate(String field) {
    return new Checks()
        .that(!verbs.isEmpty(), field + ".verbs", verbs, "must name at least one verb")
        .that(VERBS.containsAll(verbs), field + ".verbs", verbs, "must be of " + sorted(VERBS))
        .that(
            kinds.isEmpty() != paths.isEmpty(),
            field,
            "kinds " + kinds + " and paths " + paths,
            "must have either kinds or paths")
        .that(
            kinds.stream().allMatch(kind -> kind.matches("\\*(/\\*)?|[a-z]+(/[a-z]+)?")),
            field + ".kinds",
            kinds,
            "must be plurals such as volumes or volumes/status, * or */*")
        .that(
            names.stream().noneMatch(String::isBlank), field + ".names", names, "must not be empty")
        .that(
            paths.stream().allMatch(path -> path.startsWith("/")),
            field + ".paths",
            paths,
            "must begin with a slash")
        .errors();
  }

  private static List<String> sorted(Set<String> words) {
    return words.stream().sorted().toList();
  }

  /**
   * Returns whether the rule permits a request.
   *
   * @param request to judge, not null
   */
  public boolean permits(AccessRequest request) {
    if (!verbs.contains(ALL) && !verbs.contains(request.verb())) {
      return false;
    }
    return request.isForResource()
        ? hasKind(request) && hasName(request.name()) && hasLabels(request)
        : paths.stream().anyMatch(path -> matchesPath(path, request.path()));
  }

  private boolean hasKind(AccessRequest request) {
    String plural = request.kind();
    String subresource = request.subresource();
    return kinds.stream()
        .anyMatch(
            kind -> {
              if (kind.equals(ALL_KINDS)) {
                return true;
              } else if (kind.equals(ALL)) {
                boolean whole = subresource.isEmpty() || subresource.equals(STATUS);
                return whole && !plural.equals(AccessToken.KIND.plural());
              }
              return kind.equals(subresource.isEmpty() ? plural : plural + "/" + subresource);
            });
  }

  private boolean hasName(String name) {
    return names.isEmpty()
        || (!name.isEmpty()
            && names.stream().anyMatch(pattern -> NamePattern.matches(pattern, name)));
  }

  private boolean hasLabels(AccessRequest request) {
    return labels.isEmpty() || request.labels().get().entrySet().containsAll(labels.entrySet());
  }

  private static boolean matchesPath(String pattern, String path) {
    return pattern.endsWith(ALL)
        ? path.startsWith(pattern.substring(0, pattern.length() - 1))
        : pattern.equals(path);
  }
}
