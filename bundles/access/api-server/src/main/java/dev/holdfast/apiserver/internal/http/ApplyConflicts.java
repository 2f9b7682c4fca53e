package dev.holdfast.apiserver.internal.http;

import dev.holdfast.resource.ManagedFieldsOperation;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.resource.json.fields.FieldOwnership.Conflict;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Reports fields of other managers with the messages of Kubernetes, which users of kubectl know.
 */
final class ApplyConflicts {
  private ApplyConflicts() {}

  static ApiStatus status(List<Conflict> conflicts) {
    List<ApiStatus.Cause> causes =
        conflicts.stream()
            .map(
                conflict ->
                    new ApiStatus.Cause(
                        "FieldManagerConflict",
                        "conflict with " + manager(conflict),
                        conflict.field()))
            .toList();
    return ApiStatus.failure(409, "Conflict", message(conflicts)).because(causes);
  }

  private static String message(List<Conflict> conflicts) {
    int count = conflicts.size();
    String head = "Apply failed with " + count + (count == 1 ? " conflict: " : " conflicts: ");
    Map<String, List<String>> fields =
        conflicts.stream()
            .collect(
                Collectors.groupingBy(
                    ApplyConflicts::manager,
                    LinkedHashMap::new,
                    Collectors.mapping(Conflict::field, Collectors.toList())));
    return head
        + fields.entrySet().stream()
            .map(entry -> one(entry.getKey(), entry.getValue()))
            .collect(Collectors.joining("\n"));
  }

  private static String one(String manager, List<String> fields) {
    return fields.size() == 1
        ? "conflict with " + manager + ": " + fields.get(0)
        : "conflicts with " + manager + ":\n- " + String.join("\n- ", fields);
  }

  private static String manager(Conflict conflict) {
    String name = "\"" + conflict.manager() + "\"";
    if (conflict.operation() == ManagedFieldsOperation.APPLY) {
      return name;
    }
    String since = conflict.time().map(time -> " at " + seconds(time)).orElse("");
    return name + " using " + ResourceKind.API_VERSION + since;
  }

  private static Instant seconds(Instant time) {
    return time.truncatedTo(ChronoUnit.SECONDS);
  }
}
