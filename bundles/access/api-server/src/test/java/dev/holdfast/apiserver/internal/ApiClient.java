package dev.holdfast.apiserver.internal;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.holdfast.apiserver.internal.auth.KnownMembers;
import dev.holdfast.apiserver.internal.http.ApiHandler;
import dev.holdfast.apiserver.internal.http.ApiRequest;
import dev.holdfast.apiserver.internal.http.ApiResponse;
import dev.holdfast.apiserver.internal.resources.WatchSettings;
import dev.holdfast.authorization.Authorization;
import dev.holdfast.resource.KindCatalogue;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.store.ResourceStore;
import java.time.Clock;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Calls the handlers directly, without HTTP. */
public final class ApiClient {
  public static final String VOLUMES = "/apis/holdfast.dev/v1/volumes";
  private static final String TOKEN = "t";

  private final ApiHandler handler;
  private final ObjectMapper mapper = new ObjectMapper();

  public ApiClient(ResourceStore store) {
    this(store, Clock.systemUTC());
  }

  public ApiClient(ResourceStore store, Clock clock) {
    this(store, KindCatalogue.load(), clock);
  }

  public ApiClient(ResourceStore store, KindCatalogue kinds, Clock clock) {
    handler =
        RunningServer.handler(
            new KnownMembers(TOKEN, false, Optional::empty),
            "0.1.0",
            RunningServer.Content.of(store, kinds, Authorization.over(store, clock).control()),
            WatchSettings.DEFAULT,
            new OpenStreams(),
            clock);
  }

  /** An answer with its body read. */
  public record Answer(int code, JsonNode body, List<String> warnings) {
    public String reason() {
      return body.path("reason").asText();
    }

    public String message() {
      return body.path("message").asText();
    }
  }

  public Answer get(String pathAndQuery) throws Exception {
    return send("GET", pathAndQuery, Map.of(), "");
  }

  public Answer send(String method, String pathAndQuery, Map<String, String> headers, String body)
      throws Exception {
    ApiResponse.Content content = (ApiResponse.Content) raw(method, pathAndQuery, headers, body);
    byte[] bytes = new byte[content.body().remaining()];
    content.body().duplicate().get(bytes);
    return new Answer(content.code(), mapper.readTree(bytes), content.warnings());
  }

  public ApiResponse raw(
      String method, String pathAndQuery, Map<String, String> headers, String body) {
    String[] parts = pathAndQuery.split("\\?", 2);
    Map<String, List<String>> query = new LinkedHashMap<>();
    if (parts.length == 2) {
      for (String pair : parts[1].split("&", -1)) {
        String[] keyAndValue = pair.split("=", 2);
        query.computeIfAbsent(keyAndValue[0], k -> new ArrayList<>()).add(keyAndValue[1]);
      }
    }
    Map<String, String> all = new LinkedHashMap<>();
    all.put("Authorization", "Bearer " + TOKEN);
    all.put("Content-Type", "application/json");
    all.putAll(headers);
    return handler.handle(
        ApiRequest.of(
                method,
                List.of(parts[0].substring(1).split("/", -1)),
                query,
                name -> Optional.ofNullable(all.get(name)),
                "192.0.2.1")
            .withBody(body));
  }

  public Answer merge(String name, String patch) throws Exception {
    return send(
        "PATCH",
        VOLUMES + "/" + name,
        Map.of("Content-Type", "application/merge-patch+json"),
        patch);
  }

  public static String volume(String metadata, String spec) {
    return "{\"apiVersion\":\"holdfast.dev/v1\",\"kind\":\""
        + Volume.KIND.kind()
        + "\",\"metadata\":{"
        + metadata
        + "},\"spec\":{"
        + spec
        + "}}";
  }
}
