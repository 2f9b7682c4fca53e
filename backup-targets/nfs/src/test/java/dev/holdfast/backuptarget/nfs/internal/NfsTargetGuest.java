package dev.holdfast.backuptarget.nfs.internal;

import dev.holdfast.backuptarget.ObjectStore;
import dev.holdfast.backuptarget.PutOptions;
import dev.holdfast.backuptarget.StoreOptions;
import dev.holdfast.backuptarget.StoredObject;
import dev.holdfast.backuptarget.TargetUrl;
import dev.holdfast.error.StorageException;
import dev.holdfast.host.LocalHost;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

/**
 * Uses NFS targets in a virtual machine as a test outside demands: each line of its input is a
 * command, for which it prints one line.
 */
final class NfsTargetGuest {
  static final Path FOLDER = Path.of("/run/holdfast/backup-nfs");

  private static final Duration KEEP = Duration.ofSeconds(1);
  private static final StoreOptions SHORT =
      new StoreOptions(Duration.ofSeconds(10), Duration.ofSeconds(4), 4);

  private final NfsTargetProvider provider =
      new NfsTargetProvider(new ExportMounts(new LocalHost(), FOLDER, KEEP));
  private final Map<String, ObjectStore> stores = new HashMap<>();

  private NfsTargetGuest() {}

  /** Serves until its input ends. */
  public static void main(String[] arguments) throws Exception {
    PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    NfsTargetGuest guest = new NfsTargetGuest();
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      out.println(guest.answer(line.split(" ", -1)));
    }
    System.exit(0);
  }

  private String answer(String[] words) {
    try {
      return switch (words[0]) {
        case "open" -> opened(words[1], words[2]);
        case "put" -> put(stores.get(words[1]), words[2], words[3]);
        case "get" -> get(stores.get(words[1]), words[2], Integer.parseInt(words[3]));
        case "list" -> list(stores.get(words[1]));
        case "close" -> closed(words[1]);
        case "kit" -> kit(words[1]);
        default -> "unknown command " + words[0];
      };
    } catch (StorageException e) {
      return e.code() + " " + String.valueOf(e.getMessage()).replace('\n', ' ');
    }
  }

  private String opened(String name, String url) throws StorageException {
    stores.put(name, provider.open(TargetUrl.parse(url), Map.of(), SHORT));
    return "opened";
  }

  private static String put(ObjectStore store, String key, String text) throws StorageException {
    ByteBuffer content = ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
    StoredObject stored = store.put(key, List.of(content), PutOptions.REPLACE);
    return "stored " + stored.size();
  }

  private static String get(ObjectStore store, String key, int length) throws StorageException {
    ByteBuffer content = ByteBuffer.allocate(length);
    store.get(key, 0, content);
    return "read " + new String(content.array(), StandardCharsets.UTF_8);
  }

  private static String list(ObjectStore store) throws StorageException {
    List<String> keys = new ArrayList<>();
    store.list("", "", found -> keys.add(found.key()));
    return "listed " + String.join(",", keys);
  }

  private String closed(String name) {
    stores.remove(name).close();
    return "closed";
  }

  /** Runs the kit on folders of an export that the test has made. */
  private static String kit(String export) {
    System.setProperty(NfsObjectStoreKit.EXPORT, export);
    SummaryGeneratingListener listener = new SummaryGeneratingListener();
    LauncherFactory.create()
        .execute(
            LauncherDiscoveryRequestBuilder.request()
                .selectors(DiscoverySelectors.selectClass(NfsObjectStoreKit.class))
                .build(),
            listener);
    TestExecutionSummary summary = listener.getSummary();
    String failures =
        summary.getFailures().stream()
            .map(
                failure ->
                    failure.getTestIdentifier().getDisplayName() + ": " + failure.getException())
            .collect(Collectors.joining("; "))
            .replace('\n', ' ');
    return "succeeded " + summary.getTestsSucceededCount() + " failed " + failures;
  }
}
