package dev.holdfast.store.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.resource.cluster.Setting;
import dev.holdfast.store.LabelSelector;
import dev.holdfast.store.ResourceList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Lists, their selectors and their version. */
abstract class ListTopic extends StoreTopic {
  ListTopic(ResourceStoreKit kit) {
    super(kit);
  }

  private Setting createWithLabels(String name, Map<String, String> labels) throws Exception {
    Setting wanted = setting(name, "1");
    return store.create(wanted.withMetadata(wanted.metadata().withLabels(labels)));
  }

  private List<String> names(String selector) throws Exception {
    return store.list(Setting.KIND, LabelSelector.parse(selector)).items().stream()
        .map(Setting::name)
        .toList();
  }

  @Test
  final void anEmptyStoreListsNothingButAVersion() throws Exception {
    ResourceList<Setting> list = store.list(Setting.KIND, LabelSelector.ALL);

    assertThat(list.items()).isEmpty();
    assertThat(list.resourceVersion()).matches("[0-9]+");
  }

  @Test
  final void listsAreSortedByName() throws Exception {
    for (String name : List.of("b", "a.c", "c", "a", "a-b")) {
      store.create(setting(name, "1"));
    }
    store.create(volume("other-kind"));

    assertThat(names("")).containsExactly("a", "a-b", "a.c", "b", "c");
  }

  @Test
  final void theVersionCoversTheItems() throws Exception {
    store.create(setting("a", "1"));
    Setting last = store.create(setting("b", "1"));

    ResourceList<Setting> list = store.list(Setting.KIND, LabelSelector.ALL);

    assertThat(Long.parseLong(list.resourceVersion())).isGreaterThanOrEqualTo(version(last));
  }

  @Test
  final void selectorsMatchLabels() throws Exception {
    createWithLabels("a", Map.of("app", "x", "tier", "web"));
    createWithLabels("b", Map.of("app", "y"));
    createWithLabels("c", Map.of());

    assertThat(names("app=x")).containsExactly("a");
    assertThat(names("app!=x")).containsExactly("b", "c");
    assertThat(names("app in (x,y),!tier")).containsExactly("b");
    assertThat(names("app notin (x,y)")).containsExactly("c");
    assertThat(names("tier")).containsExactly("a");
    assertThat(names("app=z")).isEmpty();
  }

  @Test
  final void selectorsSeeChangedLabels() throws Exception {
    Setting setting = createWithLabels("a", Map.of("app", "x"));

    store.update(setting.withMetadata(setting.metadata().withLabels(Map.of("app", "y"))));

    assertThat(names("app=x")).isEmpty();
    assertThat(names("app=y")).containsExactly("a");
  }
}
