package dev.holdfast.engine.sparse.internal.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class SparesTest {
  private final List<StringBuilder> made = new ArrayList<>();
  private final Spares<StringBuilder> spares =
      new Spares<>(2, this::make, builder -> builder.setLength(0));

  private StringBuilder make() {
    made.add(new StringBuilder());
    return made.get(made.size() - 1);
  }

  @Test
  void whatWasGivenBackIsTakenAgainAsGoodAsNew() {
    StringBuilder first = spares.take();
    first.append("used");
    spares.give(first);

    assertThat(spares.take()).isSameAs(first).isEmpty();
    assertThat(made).hasSize(1);
  }

  @Test
  void noTwoHoldTheSame() {
    assertThat(spares.take()).isNotSameAs(spares.take());
  }

  @Test
  void noMoreThanTheMostAreKept() {
    List<StringBuilder> taken = List.of(spares.take(), spares.take(), spares.take());
    taken.forEach(spares::give);

    List<StringBuilder> again = List.of(spares.take(), spares.take(), spares.take());

    assertThat(made).hasSize(4);
    assertThat(again).contains(taken.get(0), taken.get(1)).doesNotContain(taken.get(2));
  }
}
