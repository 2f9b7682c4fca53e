package dev.holdfast.store.etcd.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.kube.testkit.EtcdServer;
import dev.holdfast.resource.cluster.Setting;
import dev.holdfast.resource.cluster.SettingSpec;
import dev.holdfast.store.LabelSelector;
import dev.holdfast.store.Watch;
import dev.holdfast.store.WatchEvent;
import dev.holdfast.store.WatchListener;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A real etcd with password authentication. */
@Tag("slow")
class EtcdUsersTest {
  @TempDir Path directory;

  private EtcdResourceStore store(EtcdServer etcd, String user, Path password)
      throws StorageException {
    EtcdSettings settings =
        EtcdSettings.read(
            name ->
                switch (name) {
                  case "holdfast.etcd.endpoints" -> etcd.endpoint();
                  case "holdfast.etcd.user" -> user;
                  case "holdfast.etcd.password.file" -> password == null ? "" : password.toString();
                  default -> null;
                });
    return new EtcdResourceStore(
        new EtcdConnection(settings), settings.prefix(), Clock.systemUTC());
  }

  private static Setting setting(String name, String value) {
    return Setting.of(name, new SettingSpec(value));
  }

  private static void ask(EtcdServer etcd, String path, String body)
      throws IOException, InterruptedException {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(etcd.endpoint() + "/v3/auth/" + path))
            .POST(HttpRequest.BodyPublishers.ofString(body))
            .build();
    HttpResponse<String> answer =
        HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
  }

  /** Starts an etcd whose tokens expire two seconds after their last use. */
  private EtcdServer etcdWithUsers() throws IOException, InterruptedException {
    EtcdServer etcd = EtcdServer.start(directory.resolve("etcd"), "--auth-token-ttl=2");
    ask(etcd, "user/add", "{\"name\":\"root\",\"password\":\"of-root\"}");
    ask(etcd, "user/grant", "{\"user\":\"root\",\"role\":\"root\"}");
    ask(etcd, "enable", "{}");
    return etcd;
  }

  private static ErrorCode refusal(EtcdResourceStore store) {
    StorageException e =
        catchThrowableOfType(StorageException.class, () -> store.get(Setting.KIND, "a"));
    assertThat(e).as("a failure").isNotNull();
    return e.code();
  }

  @Test
  void userIsAuthenticatedOnlyWithThePassword() throws Exception {
    Path right = Files.writeString(directory.resolve("right"), "of-root\n");
    Path wrong = Files.writeString(directory.resolve("wrong"), "guessed\n");
    try (EtcdServer etcd = etcdWithUsers();
        EtcdResourceStore known = store(etcd, "root", right);
        EtcdResourceStore guessing = store(etcd, "root", wrong);
        EtcdResourceStore nameless = store(etcd, "", null)) {
      Setting created = known.create(setting("a", "1"));

      assertThat(known.get(Setting.KIND, "a")).contains(created);
      assertThat(refusal(guessing)).isEqualTo(ErrorCode.FORBIDDEN);
      assertThat(refusal(nameless)).isEqualTo(ErrorCode.FORBIDDEN);
    }
  }

  /** A restart of etcd discards all tokens. */
  @Test
  void aForgottenTokenIsReplaced() throws Exception {
    Path password = Files.writeString(directory.resolve("password"), "of-root");
    try (EtcdServer etcd = etcdWithUsers();
        EtcdResourceStore store = store(etcd, "root", password)) {
      Setting created = store.create(setting("a", "1"));

      etcd.restart();

      Setting changed = eventually(store, created.withSpec(new SettingSpec("2")));
      CompletableFuture<WatchEvent<Setting>> told = new CompletableFuture<>();
      Watch watch = store.watch(Setting.KIND, version(store), listener(told));
      store.update(changed.withSpec(new SettingSpec("3")));
      assertThat(told.get(60, TimeUnit.SECONDS).resource().spec().value()).isEqualTo("3");
      watch.close();
    }
  }

  private static String version(EtcdResourceStore store) throws StorageException {
    return store.list(Setting.KIND, LabelSelector.ALL).resourceVersion();
  }

  private static Setting eventually(EtcdResourceStore store, Setting wanted)
      throws StorageException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (true) {
      try {
        return store.update(wanted);
      } catch (StorageException e) {
        if (e.code() != ErrorCode.UNREACHABLE || System.nanoTime() > deadline) {
          throw e;
        }
      }
    }
  }

  private static WatchListener<Setting> listener(CompletableFuture<WatchEvent<Setting>> told) {
    return new WatchListener<>() {
      @Override
      public void changed(WatchEvent<Setting> event) {
        told.complete(event);
      }

      @Override
      public void ended(StorageException cause) {
        told.completeExceptionally(cause);
      }
    };
  }
}
