package dev.holdfast.store.remote;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.sun.net.httpserver.HttpServer;
import dev.holdfast.apiserver.ApiServer;
import dev.holdfast.certificates.NodeTls;
import dev.holdfast.certificates.files.TlsDirectory;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.FieldError;
import dev.holdfast.resource.InvalidResourceException;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.resource.cluster.Setting;
import dev.holdfast.resource.cluster.SettingSpec;
import dev.holdfast.store.LabelSelector;
import dev.holdfast.store.ResourceStore;
import dev.holdfast.store.WatchEvent;
import dev.holdfast.store.WatchListener;
import dev.holdfast.store.memory.MemoryResourceStore;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Failures that callers see if the store behind the server, the server or the network fails. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class FailuresTest {
  private static final String TOKEN = "of-the-test";
  private static final InetSocketAddress ANY =
      new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

  @TempDir Path directory;

  private NodeTls tls(String name) throws Exception {
    return TlsDirectory.prepare(directory.resolve(name), List.of("127.0.0.1"), Clock.systemUTC());
  }

  private ApiServer server(ResourceStore store) throws Exception {
    return ApiServer.start(ANY, tls("tls").serverContext(), TOKEN, "0.1.0", store);
  }

  private RemoteResourceStore client(ApiServer server, String token, String authority)
      throws Exception {
    return new RemoteResourceStore(
        new ApiConnection(
            URI.create("https://127.0.0.1:" + server.port()),
            token,
            Files.readString(tls(authority).caCertificate())));
  }

  private static StorageException list(ResourceStore store) {
    return catchThrowableOfType(
        StorageException.class, () -> store.list(Setting.KIND, LabelSelector.ALL));
  }

  @Test
  void everyCodeArrivesAsItWasSent() throws Exception {
    FailingStore failing = new FailingStore();
    try (ApiServer server = server(failing);
        RemoteResourceStore store = client(server, TOKEN, "tls")) {
      for (ErrorCode code : ErrorCode.values()) {
        failing.failure = new StorageException(code, "because of " + code);
        StorageException e = list(store);
        assertThat(e.code()).isEqualTo(code);
        assertThat(e).hasMessage("because of " + code);
      }
    }
  }

  @Test
  void fieldErrorsArriveAsTheyWereSent() throws Exception {
    List<FieldError> errors =
        List.of(
            FieldError.required("spec.a", "a value is required"),
            FieldError.invalid("spec.b", "x", "must be y"),
            FieldError.forbidden("spec.c", "may not be changed"),
            new FieldError("spec.d", FieldError.Reason.NOT_SUPPORTED, "none of them"));
    FailingStore failing = new FailingStore();
    failing.failure = new InvalidResourceException(Setting.KIND, "a", errors);
    try (ApiServer server = server(failing);
        RemoteResourceStore store = client(server, TOKEN, "tls")) {
      InvalidResourceException e =
          catchThrowableOfType(
              InvalidResourceException.class,
              () -> store.create(Setting.of("a", new SettingSpec("x"))));
      assertThat(e.errors()).isEqualTo(errors);
      assertThat(e).hasMessage(failing.failure.getMessage());
    }
  }

  @Test
  void resourceOfAKindThatTheServerDoesNotServeIsNotTakenForDeleted() throws Exception {
    ResourceKind<Setting> absent =
        new ResourceKind<>(
            "Absent", "absents", List.of(), Setting.class, "A kind of another bundle.", List.of());
    try (ApiServer server = server(new MemoryResourceStore());
        RemoteResourceStore store = client(server, TOKEN, "tls")) {
      StorageException read =
          catchThrowableOfType(StorageException.class, () -> store.get(absent, "a"));
      StorageException deletion =
          catchThrowableOfType(StorageException.class, () -> store.delete(absent, "a", ""));

      assertThat(read.code()).isEqualTo(ErrorCode.UNREACHABLE);
      assertThat(read).hasMessageContaining("absents.holdfast.dev");
      assertThat(deletion.code()).isEqualTo(ErrorCode.UNREACHABLE);
      assertThat(store.get(Setting.KIND, "a")).isEmpty();
    }
  }

  @Test
  void aWrongTokenIsForbidden() throws Exception {
    try (ApiServer server = server(new MemoryResourceStore());
        RemoteResourceStore store = client(server, "other", "tls")) {
      assertThat(list(store).code()).isEqualTo(ErrorCode.FORBIDDEN);
    }
  }

  @Test
  void aServerOfAnotherAuthorityIsNotTrusted() throws Exception {
    try (ApiServer server = server(new MemoryResourceStore());
        RemoteResourceStore store = client(server, TOKEN, "other")) {
      StorageException e = list(store);
      assertThat(e.code()).isEqualTo(ErrorCode.UNREACHABLE);
      assertThat(e).hasMessageContaining("CA certificate");
    }
  }

  @Test
  void stoppedServerIsUnreachableAndEndsWatches() throws Exception {
    Listener listener = new Listener();
    ApiServer server = server(new MemoryResourceStore());
    try (RemoteResourceStore store = client(server, TOKEN, "tls")) {
      String version = store.list(Setting.KIND, LabelSelector.ALL).resourceVersion();
      store.watch(Setting.KIND, version, listener);
      server.close();
      assertThat(listener.next()).isEqualTo("ended UNREACHABLE");
      StorageException e = list(store);
      assertThat(e.code()).isEqualTo(ErrorCode.UNREACHABLE);
      assertThat(e).hasMessageContaining("holdfast up");
    }
  }

  /** Records its calls in order. */
  private static final class Listener implements WatchListener<Setting> {
    private final BlockingQueue<String> told = new LinkedBlockingQueue<>();

    @Override
    public void changed(WatchEvent<Setting> event) {
      told.add(event.type() + " " + event.resource().name());
    }

    @Override
    public void ended(StorageException cause) {
      told.add("ended " + cause.code());
    }

    String next() throws InterruptedException {
      return told.poll(30, TimeUnit.SECONDS);
    }
  }

  private static String event(String type, String name, int version) {
    return "{\"type\":\""
        + type
        + "\",\"object\":{\"apiVersion\":\"holdfast.dev/v1\",\"kind\":\"Setting\",\"metadata\":"
        + "{\"name\":\""
        + name
        + "\",\"resourceVersion\":\""
        + version
        + "\"},\"spec\":{\"value\":\"x\"}}}\n";
  }

  @Test
  void aWatchThatTheServerEndsContinuesFromWhereItWas() throws Exception {
    BlockingQueue<String> queries = new LinkedBlockingQueue<>();
    BlockingQueue<String> answers = new LinkedBlockingQueue<>();
    answers.add(event("ADDED", "a", 7));
    answers.add(" " + event("BOOKMARK", "", 9));
    answers.add(event("MODIFIED", "a", 11));
    answers.add(
        "{\"type\":\"ERROR\",\"object\":{\"kind\":\"Status\",\"reason\":\"Expired\",\"code\":410}}");
    HttpServer server = HttpServer.create(ANY, 0);
    server.createContext(
        "/",
        exchange -> {
          queries.add(exchange.getRequestURI().getQuery());
          byte[] answer = answers.remove().getBytes(UTF_8);
          exchange.sendResponseHeaders(200, answer.length);
          exchange.getResponseBody().write(answer);
          exchange.close();
        });
    server.start();
    URI uri = URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/");
    try (RemoteResourceStore store = new RemoteResourceStore(new ApiConnection(uri, TOKEN, ""))) {
      Listener listener = new Listener();
      store.watch(Setting.KIND, "5", listener);
      assertThat(listener.next()).isEqualTo("ADDED a");
      assertThat(listener.next()).isEqualTo("MODIFIED a");
      assertThat(listener.next()).isEqualTo("ended EXPIRED");
      assertThat(queries)
          .extracting(query -> query.replaceAll(".*resourceVersion=", ""))
          .containsExactly("5", "7", "9", "11");
    } finally {
      server.stop(0);
    }
  }
}
