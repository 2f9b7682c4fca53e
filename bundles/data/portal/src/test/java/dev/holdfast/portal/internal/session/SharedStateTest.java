package dev.holdfast.portal.internal.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.frontend.ExportStateStore;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class SharedStateTest {
  private final Store store = new Store();

  private static final class Store implements ExportStateStore {
    private final Map<String, String> kept = new HashMap<>();
    private boolean failing;
    private boolean keeping;
    private int saves;

    @Override
    public boolean keeps(String name) {
      return keeping;
    }

    @Override
    public Map<String, String> load() {
      return Map.copyOf(kept);
    }

    @Override
    public void save(Map<String, String> texts) throws StorageException {
      if (failing) {
        throw new StorageException(ErrorCode.UNREACHABLE, "the test's store does not answer");
      }
      saves++;
      kept.clear();
      kept.putAll(texts);
    }
  }

  @Test
  void onlyDurableTextsOutliveTheExport() throws Exception {
    SharedState state = new SharedState(store);
    assertThat(state.replace("kept", Optional.empty(), Optional.of("1"), true)).isTrue();
    assertThat(state.replace("lost", Optional.empty(), Optional.of("2"), false)).isTrue();
    assertThat(store.saves).isEqualTo(1);
    SharedState next = new SharedState(store);
    assertThat(next.text("kept")).hasValue("1");
    assertThat(next.text("lost")).isEmpty();
    assertThat(next.replace("kept", Optional.of("1"), Optional.of("3"), false)).isTrue();
    assertThat(next.text("kept")).hasValue("3");
    assertThat(new SharedState(store).text("kept")).isEmpty();
  }

  @Test
  void aTextIsReplacedOnlyIfItIsTheExpectedOne() throws Exception {
    SharedState state = new SharedState(store);
    assertThat(state.replace("a", Optional.of("x"), Optional.of("1"), false)).isFalse();
    assertThat(state.replace("a", Optional.empty(), Optional.of("1"), false)).isTrue();
    assertThat(state.replace("a", Optional.empty(), Optional.of("2"), true)).isFalse();
    assertThat(state.text("a")).hasValue("1");
    assertThat(store.saves).isZero();
  }

  @Test
  void whatIsNotKeptIsNotSeen() throws Exception {
    SharedState state = new SharedState(store);
    store.failing = true;
    assertThatThrownBy(() -> state.replace("a", Optional.empty(), Optional.of("1"), true))
        .isInstanceOf(StorageException.class);
    assertThat(state.text("a")).isEmpty();
  }

  @Test
  void whatAnotherNodeWroteIsSeenAndNotUndone() throws Exception {
    SharedState one = new SharedState(store);
    SharedState other = new SharedState(store);
    assertThat(one.replace("a", Optional.empty(), Optional.of("one's"), true)).isTrue();
    assertThat(other.replace("a", Optional.empty(), Optional.of("other's"), true)).isFalse();
    assertThat(other.text("a")).hasValue("one's");
    assertThat(other.replace("a", Optional.of("one's"), Optional.of("both's"), true)).isTrue();
    assertThat(one.replace("a", Optional.of("one's"), Optional.empty(), true)).isFalse();
    assertThat(one.text("a")).hasValue("both's");
    assertThat(store.kept).isEqualTo(Map.of("a", "both's"));
  }

  @Test
  void anotherTextOfAnotherNodeStays() throws Exception {
    SharedState one = new SharedState(store);
    SharedState other = new SharedState(store);
    assertThat(one.replace("a", Optional.empty(), Optional.of("1"), true)).isTrue();
    assertThat(other.replace("b", Optional.empty(), Optional.of("2"), true)).isTrue();
    assertThat(store.kept).isEqualTo(Map.of("a", "1", "b", "2"));
  }

  @Test
  void aChangeWithAnUnknownOutcomeIsFoundOut() throws Exception {
    SharedState state = new SharedState(store);
    store.kept.put("a", "1");
    assertThat(state.replace("a", Optional.empty(), Optional.of("2"), true)).isFalse();
    assertThat(state.replace("a", Optional.of("1"), Optional.of("2"), true)).isTrue();
  }

  @Test
  void whatTheStoreWantsForAnotherNodeIsThereToo() throws Exception {
    store.keeping = true;
    SharedState state = new SharedState(store);
    assertThat(state.replace("a", Optional.empty(), Optional.of("1"), false)).isTrue();
    assertThat(new SharedState(store).text("a")).hasValue("1");
    assertThat(state.replace("a", Optional.of("1"), Optional.empty(), false)).isTrue();
    assertThat(store.kept).isEmpty();
  }

  @Test
  void nothingStaysOfTextsThatWereRemoved() throws Exception {
    SharedState state = new SharedState(store);
    for (int session = 0; session < 10; session++) {
      String name = "session-" + session;
      assertThat(state.replace(name, Optional.empty(), Optional.of("1"))).isTrue();
      assertThat(state.replace(name, Optional.of("1"), Optional.empty())).isTrue();
      assertThat(state.replace(name, Optional.empty(), Optional.of("2"), true)).isTrue();
      assertThat(state.replace(name, Optional.of("2"), Optional.empty(), true)).isTrue();
      assertThat(state.text(name)).isEmpty();
    }
    assertThat(state.count()).isZero();
  }
}
