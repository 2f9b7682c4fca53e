package dev.holdfast.resource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.resource.cluster.Setting;
import dev.holdfast.resource.cluster.SettingSpec;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class ResourcesTest {
  static List<ResourceKind<?>> kinds() {
    return KindCatalogue.load().kinds();
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void namesOfAKindAreItsOwn(ResourceKind<?> kind) {
    List<String> others = new ArrayList<>();
    for (ResourceKind<?> other : KindCatalogue.load().kinds()) {
      if (!other.equals(kind)) {
        others.add(other.singular());
        others.add(other.plural());
        others.addAll(other.shortNames());
      }
    }

    assertThat(others).doesNotContain(kind.singular(), kind.plural());
    assertThat(others).doesNotContainAnyElementsOf(kind.shortNames());
  }

  /** A column whose path leads nowhere would always be empty. */
  @ParameterizedTest
  @MethodSource("kinds")
  void columnsShowFieldsThatExist(ResourceKind<?> kind) {
    for (ResourceKind.Column column : kind.columns()) {
      Class<?> type = kind.type();
      for (String field : column.jsonPath().replaceAll("\\[.*", "").substring(1).split("\\.", -1)) {
        assertThat(type.isRecord()).as("%s of %s", column, type).isTrue();
        type =
            Arrays.stream(type.getRecordComponents())
                .filter(component -> component.getName().equals(field))
                .findFirst()
                .map(RecordComponent::getType)
                .orElseThrow(() -> new AssertionError(column + ": no field " + field));
      }
    }
  }

  @Test
  void storedSpecIsJudgedAgainOnlyWhenItChanges() throws InvalidResourceException {
    Setting stored = Setting.of("replica-soft-anti-affinity", new SettingSpec("no"));
    Setting labelled = stored.withMetadata(stored.metadata().withLabels(Map.of("team", "storage")));

    Resources.requireValidChange(labelled, stored);

    assertThatThrownBy(
            () -> Resources.requireValidChange(stored.withSpec(new SettingSpec("none")), stored))
        .isInstanceOf(InvalidResourceException.class)
        .hasMessageContaining("spec.value");
  }
}
