package dev.holdfast.apiserver.internal.resources;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.apiserver.internal.http.ApiException;
import dev.holdfast.apiserver.internal.http.ApiRequest;
import dev.holdfast.apiserver.internal.http.ApiResponse;
import dev.holdfast.error.StorageException;
import dev.holdfast.http.PieceSource;
import dev.holdfast.resource.Resource;
import dev.holdfast.store.LabelSelector;
import dev.holdfast.store.ResourceList;
import dev.holdfast.store.ResourceStore;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Optional;

/** Handles get, list and watch. */
public final class ResourceReads {
  private final ResourceStore store;
  private final Views views;
  private final WatchSettings watchSettings;

  public ResourceReads(ResourceStore store, Views views, WatchSettings watchSettings) {
    this.store = store;
    this.views = views;
    this.watchSettings = watchSettings;
  }

  <R extends Resource<R>> ApiResponse get(ApiRequest request, ServedKind<R> kind, String name)
      throws ApiException, StorageException {
    View<R> view = views.choose(request, kind);
    Optional<R> found = store.get(kind.kind(), name);
    if (found.isEmpty()) {
      throw ApiException.notFound(kind.target(name));
    }
    return ApiResponse.json(view.one(found.get()));
  }

  /** Lists resources, or watches them if the request says so. */
  <R extends Resource<R>> ApiResponse listOrWatch(ApiRequest request, ServedKind<R> kind)
      throws ApiException, StorageException {
    Selection<R> selection = Selection.of(request, kind);
    View<R> view = views.choose(request, kind);
    return request.flag("watch")
        ? new ApiResponse.Streaming(
            ApiResponse.JSON, watch(request, selection, view, Optional.empty()))
        : list(request, selection, view);
  }

  private <R extends Resource<R>> ApiResponse list(
      ApiRequest request, Selection<R> selection, View<R> view)
      throws ApiException, StorageException {
    int limit = (int) number(request, "limit", 0, Integer.MAX_VALUE);
    Optional<Page> page = Page.of(request);
    ResourceList<R> all = store.list(selection.kind().kind(), selection.labels());
    List<R> items =
        all.items().stream()
            .filter(selection::fieldsMatch)
            .filter(r -> page.isEmpty() || r.name().compareTo(page.get().after()) > 0)
            .toList();
    // Later pages keep the version of the first page; a watch from there repeats all later changes.
    String version = page.map(Page::resourceVersion).orElse(all.resourceVersion());
    ObjectNode metadata = JsonNodeFactory.instance.objectNode();
    metadata.put("resourceVersion", version);
    if (limit > 0 && items.size() > limit) {
      metadata.put("continue", new Page(version, items.get(limit - 1).name()).token());
      metadata.put("remainingItemCount", items.size() - limit);
      items = items.subList(0, limit);
    }
    return ApiResponse.json(view.list(items, metadata));
  }

  /** Starts a watch; with an id each line contains the id. */
  <R extends Resource<R>> PieceSource watch(
      ApiRequest request, Selection<R> selection, View<R> view, Optional<String> id)
      throws ApiException, StorageException {
    String version = request.parameter("resourceVersion").orElse("0");
    Optional<Boolean> initialEvents = request.parameter("sendInitialEvents").map("true"::equals);
    // Version 0 means "any", unless the client declares that it has the list of that version.
    boolean fromNow =
        request.parameter("resourceVersion").isEmpty()
            || (version.equals("0") && initialEvents.orElse(true));
    boolean bookmarks = request.flag("allowWatchBookmarks");
    boolean sendInitial = initialEvents.orElse(fromNow);
    long timeout = number(request, "timeoutSeconds", 0, Integer.MAX_VALUE);
    WatchStream<R> stream =
        new WatchStream<>(
            selection,
            view,
            watchSettings,
            new WatchStream.Options(
                bookmarks, sendInitial && request.flag("sendInitialEvents"), timeout, id),
            version);
    if (sendInitial || fromNow) {
      ResourceList<R> present = store.list(selection.kind().kind(), LabelSelector.ALL);
      stream.startAfter(present, sendInitial);
      version = present.resourceVersion();
    }
    if (!fromNow && !sendInitial && !selection.isAll()) {
      stream.learn(store.list(selection.kind().kind(), LabelSelector.ALL));
    }
    stream.attach(store.watch(selection.kind().kind(), version, stream));
    return stream;
  }

  static long number(ApiRequest request, String name, long fallback, long largest)
      throws ApiException {
    Optional<String> text = request.parameter(name);
    if (text.isEmpty()) {
      return fallback;
    }
    if (!text.get().matches("\\d{1,18}")) {
      throw ApiException.badRequest(
          name + " must be a number of at least 0, not \"" + text.get() + "\"");
    }
    return Math.min(largest, Long.parseLong(text.get()));
  }

  /**
   * Position at which a list continues: after a name, in the present state, so that pages never
   * expire.
   *
   * @param resourceVersion of the first page
   * @param after the last sent name
   */
  private record Page(String resourceVersion, String after) {
    static Optional<Page> of(ApiRequest request) throws ApiException {
      Optional<String> token = request.parameter("continue");
      if (token.isEmpty()) {
        return Optional.empty();
      }
      try {
        String text =
            new String(Base64.getUrlDecoder().decode(token.get()), StandardCharsets.UTF_8);
        String[] parts = text.split("\n", 2);
        if (parts.length == 2) {
          return Optional.of(new Page(parts[0], parts[1]));
        }
      } catch (IllegalArgumentException e) {
        // Falls through, because the token is not from this server.
      }
      throw ApiException.badRequest("continue: this token was not issued by this server");
    }

    String token() {
      return Base64.getUrlEncoder()
          .withoutPadding()
          .encodeToString((resourceVersion + "\n" + after).getBytes(StandardCharsets.UTF_8));
    }
  }
}
