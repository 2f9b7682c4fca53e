package dev.holdfast.csi.internal.server;

import io.grpc.StatusException;
import java.util.List;
import java.util.function.Function;

/**
 * A part of a list that is sorted by name. A token contains the last returned name, so that a list
 * continues correctly when entries change between two calls.
 *
 * @param entries of this page
 * @param nextToken to continue with, empty at the end
 */
public record ListPage<T>(List<T> entries, String nextToken) {
  private static final String AFTER = "after:";

  public ListPage {
    entries = List.copyOf(entries);
  }

  /**
   * Returns the requested page.
   *
   * @param sorted all entries, by name
   * @param most entries of a page, 0 for all
   * @throws StatusException INVALID_ARGUMENT; ABORTED for an invalid token, as the specification
   *     requires
   */
  public static <T> ListPage<T> of(List<T> sorted, Function<T, String> name, String token, int most)
      throws StatusException {
    if (most < 0) {
      throw CsiStatus.invalid("max_entries", "must not be negative");
    }
    if (!token.isEmpty() && !token.startsWith(AFTER)) {
      throw CsiStatus.aborted(
          "starting_token: was not issued by this driver: list from the beginning");
    }
    String last = token.isEmpty() ? "" : token.substring(AFTER.length());
    List<T> rest =
        sorted.stream()
            .filter(entry -> last.isEmpty() || name.apply(entry).compareTo(last) > 0)
            .toList();
    if (most == 0 || rest.size() <= most) {
      return new ListPage<>(rest, "");
    }
    List<T> entries = rest.subList(0, most);
    return new ListPage<>(entries, AFTER + name.apply(entries.get(most - 1)));
  }
}
