package dev.holdfast.apiserver.internal.figures;

import dev.holdfast.apiserver.internal.http.ApiException;
import dev.holdfast.apiserver.internal.http.ApiHandler;
import dev.holdfast.apiserver.internal.http.ApiRequest;
import dev.holdfast.apiserver.internal.http.ApiResponse;
import dev.holdfast.apiserver.internal.http.CountedSource;
import dev.holdfast.resource.KindCatalogue;
import dev.holdfast.resource.ResourceKind;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;

/** Counts and times the answers of another handler, except bidirectional streams. */
public final class MeasuredHandler implements ApiHandler {
  private static final int OK = 200;
  private static final int KIND = 3;

  private final ApiHandler handler;
  private final ApiFigures figures;
  private final KindCatalogue kinds;
  private final LongSupplier nanoTime;

  /**
   * Creates a handler.
   *
   * @param handler handler to measure
   * @param figures receives the counts
   * @param kinds kinds with their own label; others have the label {@code other}
   * @param nanoTime a clock as {@link System#nanoTime()}
   */
  public MeasuredHandler(
      ApiHandler handler, ApiFigures figures, KindCatalogue kinds, LongSupplier nanoTime) {
    this.handler = handler;
    this.figures = figures;
    this.kinds = kinds;
    this.nanoTime = nanoTime;
  }

  @Override
  public Optional<StreamedCall> openCall(ApiRequest head) {
    return handler.openCall(head);
  }

  @Override
  public Optional<GuardedCall> guardedCall(ApiRequest head) {
    return handler.guardedCall(head);
  }

  @Override
  public Sender sender(ApiRequest head) throws ApiException {
    return handler.sender(head);
  }

  @Override
  public ApiResponse handle(ApiRequest request) {
    long began = nanoTime.getAsLong();
    ApiResponse response = handler.handle(request);
    int code = response instanceof ApiResponse.Content content ? content.code() : OK;
    figures.ended(
        new ApiFigures.Request(verb(request), kind(request.path()), code),
        nanoTime.getAsLong() - began);
    if (response instanceof ApiResponse.Streaming watch) {
      figures.watchBegan();
      return new ApiResponse.Streaming(
          watch.contentType(), new CountedSource(watch.source(), figures::watchEnded));
    }
    return response;
  }

  private static String verb(ApiRequest request) {
    return switch (request.method()) {
      case "GET" -> {
        boolean collection = request.path().size() == KIND + 1 && isGroup(request.path());
        yield request.flag("watch") ? "watch" : collection ? "list" : "get";
      }
      case "POST" -> "create";
      case "PUT" -> "update";
      case "PATCH" -> "patch";
      case "DELETE" -> "delete";
      default -> "other";
    };
  }

  private static boolean isGroup(List<String> path) {
    return path.get(0).equals("apis") && path.get(1).equals(ResourceKind.GROUP);
  }

  private String kind(List<String> path) {
    if (path.size() <= KIND || !isGroup(path)) {
      return "";
    }
    boolean known = kinds.kinds().stream().anyMatch(kind -> kind.plural().equals(path.get(KIND)));
    return known ? path.get(KIND) : "other";
  }
}
