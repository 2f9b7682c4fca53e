package dev.holdfast.backuptarget.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import dev.holdfast.backuptarget.ForwardingObjectStore;
import dev.holdfast.backuptarget.ObjectStore;
import dev.holdfast.backuptarget.ObjectVisitor;
import dev.holdfast.backuptarget.PutOptions;
import dev.holdfast.backuptarget.StoredObject;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;

/** Each wrong store must fail the rule of the kit that it breaks. */
@Execution(ExecutionMode.SAME_THREAD)
class WrongStoresTest {
  private static Wrong planted;

  @ParameterizedTest
  @MethodSource("wrongStores")
  void kitFindsTheWrongStore(Wrong wrong) {
    planted = wrong;

    assertThat(failedRules()).as("rules that fail").contains(wrong.rule);
  }

  private static Set<String> failedRules() {
    LauncherDiscoveryRequest request =
        LauncherDiscoveryRequestBuilder.request().selectors(selectClass(Planted.class)).build();
    SummaryGeneratingListener listener = new SummaryGeneratingListener();
    LauncherFactory.create().execute(request, listener);
    return listener.getSummary().getFailures().stream()
        .map(failure -> failure.getTestIdentifier().getDisplayName().replace("()", ""))
        .collect(Collectors.toSet());
  }

  /** Run by the test above only; the name keeps it out of Surefire's patterns. */
  static class Planted extends ObjectStoreKit {
    private final MemoryObjectStore target = new MemoryObjectStore(Clock.systemUTC());

    @Override
    protected ObjectStore open() {
      return planted.filter.apply(target);
    }
  }

  /**
   * A wrong store.
   *
   * @param rule of the kit that must find it
   * @param filter makes it from a right one
   */
  record Wrong(String rule, UnaryOperator<ObjectStore> filter) {
    @Override
    public String toString() {
      return "breaks " + rule;
    }
  }

  static Stream<Wrong> wrongStores() {
    return Stream.of(
        new Wrong("buffersAreStoredInOrderFromPositionToLimit", LosesTheSecondBuffer::new),
        new Wrong("positionsOfSharedBuffersStay", MovesPositions::new),
        new Wrong("readingBeyondTheEndFailsWithIo", AnswersZeroes::new),
        new Wrong("putIfAbsentKeepsThePresentObject", IgnoresConditions::new),
        new Wrong("exactlyOneOfSeveralWritersCreatesAnObject", ChecksFirst::new),
        new Wrong("keysAscendByTheirBytes", ListsBackwards::new),
        new Wrong("manyObjectsAreListedOnce", ListsOnePage::new),
        new Wrong("listingBeginsBehindTheGivenKey", ListsAll::new),
        new Wrong("exceptionOfTheVisitorEndsTheListing", HidesFailures::new),
        new Wrong("onlyTheNamedObjectsAreDeleted", DeletesByPrefix::new),
        new Wrong("onlyTheNamedObjectsAreDeleted", DeletesOnlyPresent::new),
        new Wrong("replacingChangesTheTag", TagsBySize::new),
        new Wrong("retainedObjectIsNotDeleted", IgnoresRetention::new));
  }

  private static final class LosesTheSecondBuffer extends ForwardingObjectStore {
    LosesTheSecondBuffer(ObjectStore next) {
      super(next);
    }

    @Override
    public StoredObject put(String key, List<ByteBuffer> content, PutOptions options)
        throws StorageException {
      return super.put(key, content.subList(0, Math.min(1, content.size())), options);
    }
  }

  private static final class MovesPositions extends ForwardingObjectStore {
    MovesPositions(ObjectStore next) {
      super(next);
    }

    @Override
    public StoredObject put(String key, List<ByteBuffer> content, PutOptions options)
        throws StorageException {
      StoredObject stored = super.put(key, content, options);
      content.forEach(part -> part.position(part.limit()));
      return stored;
    }
  }

  private static final class AnswersZeroes extends ForwardingObjectStore {
    AnswersZeroes(ObjectStore next) {
      super(next);
    }

    @Override
    public void get(String key, long offset, ByteBuffer target) throws StorageException {
      try {
        super.get(key, offset, target);
      } catch (StorageException e) {
        if (e.code() != ErrorCode.IO) {
          throw e;
        }
        target.position(target.limit());
      }
    }
  }

  private static final class IgnoresConditions extends ForwardingObjectStore {
    IgnoresConditions(ObjectStore next) {
      super(next);
    }

    @Override
    public StoredObject put(String key, List<ByteBuffer> content, PutOptions options)
        throws StorageException {
      return super.put(
          key, content, new PutOptions(false, Optional.empty(), options.retainUntil()));
    }
  }

  private static final class ChecksFirst extends ForwardingObjectStore {
    private final CyclicBarrier barrier = new CyclicBarrier(8);

    ChecksFirst(ObjectStore next) {
      super(next);
    }

    @Override
    public StoredObject put(String key, List<ByteBuffer> content, PutOptions options)
        throws StorageException {
      if (options.ifAbsent() && stat(key).isPresent()) {
        throw new StorageException(ErrorCode.CONFLICT, "object " + key + ": exists");
      }
      if ("raced".equals(key)) {
        awaitOthers();
      }
      return super.put(key, content, PutOptions.REPLACE);
    }

    private void awaitOthers() {
      try {
        barrier.await();
      } catch (InterruptedException | BrokenBarrierException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  private static final class ListsBackwards extends ForwardingObjectStore {
    ListsBackwards(ObjectStore next) {
      super(next);
    }

    @Override
    public void list(String prefix, String after, ObjectVisitor visitor) throws StorageException {
      List<StoredObject> found = new ArrayList<>();
      super.list(prefix, after, found::add);
      for (int i = found.size() - 1; i >= 0; i--) {
        visitor.object(found.get(i));
      }
    }
  }

  private static final class ListsOnePage extends ForwardingObjectStore {
    ListsOnePage(ObjectStore next) {
      super(next);
    }

    @Override
    public void list(String prefix, String after, ObjectVisitor visitor) throws StorageException {
      List<StoredObject> found = new ArrayList<>();
      super.list(prefix, after, found::add);
      for (StoredObject object : found.subList(0, Math.min(1000, found.size()))) {
        visitor.object(object);
      }
    }
  }

  private static final class ListsAll extends ForwardingObjectStore {
    ListsAll(ObjectStore next) {
      super(next);
    }

    @Override
    public void list(String prefix, String after, ObjectVisitor visitor) throws StorageException {
      super.list(prefix, "", visitor);
    }
  }

  private static final class HidesFailures extends ForwardingObjectStore {
    HidesFailures(ObjectStore next) {
      super(next);
    }

    @Override
    public void list(String prefix, String after, ObjectVisitor visitor) {
      try {
        super.list(prefix, after, visitor);
      } catch (StorageException e) {
        assertThat(e).isNotNull();
      }
    }
  }

  private static final class DeletesByPrefix extends ForwardingObjectStore {
    DeletesByPrefix(ObjectStore next) {
      super(next);
    }

    @Override
    public void delete(Collection<String> keys) throws StorageException {
      for (String key : keys) {
        List<String> found = new ArrayList<>();
        list(key, "", object -> found.add(object.key()));
        super.delete(found);
      }
    }
  }

  private static final class DeletesOnlyPresent extends ForwardingObjectStore {
    DeletesOnlyPresent(ObjectStore next) {
      super(next);
    }

    @Override
    public void delete(Collection<String> keys) throws StorageException {
      for (String key : keys) {
        if (stat(key).isEmpty()) {
          throw new StorageException(ErrorCode.NOT_FOUND, "object " + key + ": does not exist");
        }
        super.delete(List.of(key));
      }
    }
  }

  private static final class TagsBySize extends ForwardingObjectStore {
    TagsBySize(ObjectStore next) {
      super(next);
    }

    @Override
    public StoredObject put(String key, List<ByteBuffer> content, PutOptions options)
        throws StorageException {
      StoredObject stored = super.put(key, content, options);
      return new StoredObject(key, stored.size(), "" + stored.size(), Instant.EPOCH);
    }
  }

  private static final class IgnoresRetention extends ForwardingObjectStore {
    IgnoresRetention(ObjectStore next) {
      super(next);
    }

    @Override
    public StoredObject put(String key, List<ByteBuffer> content, PutOptions options)
        throws StorageException {
      return super.put(
          key, content, new PutOptions(options.ifAbsent(), options.ifTag(), Optional.empty()));
    }
  }
}
