package dev.holdfast.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.holdfast.resource.ObjectMeta;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class LabelSelectorTest {
  private static ObjectMeta labelled(String labels) {
    Map<String, String> map = new HashMap<>();
    for (String label : labels.split(" ", -1)) {
      String[] parts = label.split(":", -1);
      map.put(parts[0], parts[1]);
    }
    return ObjectMeta.named("a").withLabels(map);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          app=x                           | app:x tier:web     | true
          app==x                          | app:x              | true
          app = x                         | app:x              | true
          app=x                           | app:y              | false
          app=x                           | tier:web           | false
          app!=x                          | app:y              | true
          app!=x                          | tier:web           | true
          app!=x                          | app:x              | false
          app=                            | app:               | true
          app                             | app:               | true
          app                             | tier:web           | false
          !app                            | tier:web           | true
          !app                            | app:x              | false
          app in (x,y)                    | app:y              | true
          app in (x, y )                  | app:y              | true
          app in (x,y)                    | app:z              | false
          app in (x,y)                    | tier:web           | false
          app notin (x,y)                 | app:z              | true
          app notin (x,y)                 | tier:web           | true
          app notin (x,y)                 | app:x              | false
          app in (x,y),tier=web,!old      | app:x tier:web     | true
          app in (x,y), tier=web, !old    | app:x tier:db      | false
          holdfast.dev/volume=data        | holdfast.dev/volume:data | true
          """)
  void matchesAsKubernetesDoes(String selector, String labels, boolean matches) {
    assertThat(LabelSelector.parse(selector).matches(labelled(labels))).isEqualTo(matches);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"=x", "app=x y", "app in x", "app in (x", "!", "app x", "(a)", "a=b=c", "a!=b!=c"})
  void invalidSelectorIsRefused(String text) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> LabelSelector.parse(text))
        .withMessageContaining("is not a label selector");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", " ", ",", " , "})
  void nothingSelectsEverything(String text) {
    assertThat(LabelSelector.parse(text)).isEqualTo(LabelSelector.ALL);
    assertThat(LabelSelector.ALL.matches(ObjectMeta.named("a"))).isTrue();
  }

  @Provide
  Arbitrary<LabelSelector> selectors() {
    Arbitrary<String> key = Arbitraries.of("app", "tier", "holdfast.dev/volume", "a-b_c.d");
    Arbitrary<Set<String>> values =
        Arbitraries.of("x", "y", "", "1.2-3_4").set().ofMinSize(1).ofMaxSize(3);
    Arbitrary<LabelSelector.Operator> operator = Arbitraries.of(LabelSelector.Operator.class);
    return Combinators.combine(key, operator, values)
        .as(
            (k, o, v) ->
                switch (o) {
                  case IN, NOT_IN -> new LabelSelector.Requirement(k, o, v);
                  case EXISTS, DOES_NOT_EXIST -> new LabelSelector.Requirement(k, o, Set.of());
                })
        .list()
        .ofMaxSize(4)
        .map(LabelSelector::new);
  }

  @Property
  void theTextIsReadBack(@ForAll("selectors") LabelSelector selector) {
    assertThat(LabelSelector.parse(selector.toString())).isEqualTo(selector);
  }

  @Property
  void aSelectorIsTheConjunctionOfItsRequirements(@ForAll("selectors") LabelSelector selector) {
    for (String labels : List.of("app:x", "app:y tier:", "tier:x holdfast.dev/volume:y")) {
      boolean each =
          selector.requirements().stream()
              .allMatch(r -> new LabelSelector(List.of(r)).matches(labelled(labels)));

      assertThat(selector.matches(labelled(labels))).isEqualTo(each);
    }
  }
}
