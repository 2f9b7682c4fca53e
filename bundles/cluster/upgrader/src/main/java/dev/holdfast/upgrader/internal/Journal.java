package dev.holdfast.upgrader.internal;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The last operations, newest last, in one file that is replaced atomically: after a kill it
 * contains the state before or after a change. Thread-safe.
 */
final class Journal {
  private static final int MOST = 20;

  private final Path file;
  private final ObjectMapper json =
      new ObjectMapper().disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES);
  private Content content;

  /**
   * Content of the file.
   *
   * @param operations the last ones
   * @param handled the last requests, which are never repeated
   */
  record Content(List<Operation> operations, List<String> handled) {
    Content {
      operations = operations == null ? List.of() : List.copyOf(operations);
      handled = handled == null ? List.of() : List.copyOf(handled);
    }
  }

  Journal(Path file) throws IOException {
    this.file = file;
    this.content =
        Files.exists(file)
            ? json.readValue(file.toFile(), Content.class)
            : new Content(List.of(), List.of());
  }

  synchronized List<Operation> operations() {
    return content.operations();
  }

  /** Returns the unfinished operation. */
  synchronized Optional<Operation> open() {
    return content.operations().stream().filter(one -> !one.state().isFinal()).findFirst();
  }

  /** Returns the newest operation that a user may undo. */
  synchronized Optional<Operation> lastDone() {
    return content.operations().stream()
        .filter(one -> one.state() == Operation.State.DONE && one.undoes().isEmpty())
        .reduce((first, later) -> later);
  }

  /** Returns the jars that are needed to continue or roll back. */
  synchronized Set<Path> jars() {
    return content.operations().stream()
        .flatMap(one -> one.steps().stream())
        .flatMap(step -> Stream.of(step.jar(), step.before()))
        .filter(path -> !path.isEmpty())
        .map(Path::of)
        .collect(Collectors.toSet());
  }

  /** Returns whether {@link #accept} was called for a request, also before the last start. */
  synchronized boolean knows(String request) {
    return content.handled().contains(request);
  }

  /** Records that a request is being handled. */
  synchronized void accept(String request) throws IOException {
    List<String> all = new ArrayList<>(content.handled());
    all.add(request);
    write(new Content(content.operations(), last(all)));
  }

  /** Adds an operation or replaces the one with its id; durable at the return. */
  synchronized void record(Operation operation) throws IOException {
    List<Operation> all = new ArrayList<>(content.operations());
    int place = -1;
    for (int i = 0; i < all.size(); i++) {
      if (all.get(i).id().equals(operation.id())) {
        place = i;
      }
    }
    if (place < 0) {
      all.add(operation);
    } else {
      all.set(place, operation);
    }
    write(new Content(last(all), content.handled()));
  }

  private static <T> List<T> last(List<T> all) {
    return all.subList(Math.max(0, all.size() - MOST), all.size());
  }

  private void write(Content changed) throws IOException {
    Files.createDirectories(file.getParent());
    Path written = file.resolveSibling(file.getFileName() + ".new");
    json.writerWithDefaultPrettyPrinter().writeValue(written.toFile(), changed);
    JarStore.sync(written);
    Files.move(written, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    JarStore.sync(file.getParent());
    content = changed;
  }
}
