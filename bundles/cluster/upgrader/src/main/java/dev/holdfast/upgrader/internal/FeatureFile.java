package dev.holdfast.upgrader.internal;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.w3c.dom.Element;
import org.w3c.dom.Node;
import org.xml.sax.SAXException;

/** Reads the bundles of the features in a Karaf feature file. */
final class FeatureFile {
  private static final String LEVEL = "start-level";

  private FeatureFile() {}

  /**
   * A bundle that a feature names.
   *
   * @param address such as {@code mvn:group/artifact/version}
   * @param level the start level, empty where the feature names none
   */
  record Entry(String address, OptionalInt level) {}

  /** Returns whether a file is a feature file: any other XML is ignored. */
  static boolean isOne(Path file) {
    try {
      return root(file).getTagName().equals("features");
    } catch (IOException e) {
      return false;
    }
  }

  /** Returns all bundles of all features, each once. */
  static List<Entry> bundles(Path file) throws IOException {
    Map<String, Feature> features = features(file);
    List<Entry> all = new ArrayList<>();
    features.values().forEach(feature -> all.addAll(feature.bundles()));
    return distinct(all);
  }

  /** Returns a feature's bundles and those that it needs from this file, each once. */
  static List<Entry> bundlesOf(Path file, String name) throws IOException {
    List<Entry> all = new ArrayList<>();
    collect(features(file), name, new HashSet<>(), all);
    return distinct(all);
  }

  /** Of several entries of one address the first with a level is used. */
  private static List<Entry> distinct(List<Entry> entries) {
    Map<String, Entry> first = new LinkedHashMap<>();
    entries.forEach(
        entry ->
            first.merge(
                entry.address(), entry, (old, other) -> old.level().isPresent() ? old : other));
    return List.copyOf(first.values());
  }

  private static void collect(
      Map<String, Feature> features, String name, Set<String> seen, List<Entry> into) {
    Feature feature = features.get(name);
    if (feature == null || !seen.add(name)) {
      return;
    }
    feature.needs().forEach(needed -> collect(features, needed, seen, into));
    into.addAll(feature.bundles());
  }

  private record Feature(List<String> needs, List<Entry> bundles) {}

  private static Map<String, Feature> features(Path file) throws IOException {
    Map<String, Feature> features = new LinkedHashMap<>();
    for (Element element : children(root(file), "feature")) {
      features.put(
          element.getAttribute("name"),
          new Feature(texts(element, "feature"), entries(file, element)));
    }
    return features;
  }

  private static List<Entry> entries(Path file, Element feature) throws IOException {
    List<Entry> entries = new ArrayList<>();
    for (Element bundle : children(feature, "bundle")) {
      entries.add(new Entry(bundle.getTextContent().strip(), level(file, bundle)));
    }
    return entries;
  }

  /** Karaf treats a level of 0 as none. */
  private static OptionalInt level(Path file, Element bundle) throws IOException {
    String text = bundle.getAttribute(LEVEL).strip();
    try {
      int level = text.isEmpty() ? 0 : Integer.parseInt(text);
      if (level >= 0) {
        return level == 0 ? OptionalInt.empty() : OptionalInt.of(level);
      }
    } catch (NumberFormatException e) {
      throw new IOException(wrongLevel(file, bundle, text), e);
    }
    throw new IOException(wrongLevel(file, bundle, text));
  }

  private static String wrongLevel(Path file, Element bundle, String text) {
    return "%s: bundle %s: %s=\"%s\": expected a number from 1"
        .formatted(file, bundle.getTextContent().strip(), LEVEL, text);
  }

  private static Element root(Path file) throws IOException {
    try {
      DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
      factory.setFeature("http://apache.org/xml/features/disallow-doctype-decl", true);
      return factory.newDocumentBuilder().parse(file.toFile()).getDocumentElement();
    } catch (ParserConfigurationException | SAXException e) {
      throw new IOException(file + " is not a feature file: " + e.getMessage(), e);
    }
  }

  private static List<String> texts(Element parent, String name) {
    return children(parent, name).stream().map(child -> child.getTextContent().strip()).toList();
  }

  private static List<Element> children(Element parent, String name) {
    List<Element> found = new ArrayList<>();
    for (Node child = parent.getFirstChild(); child != null; child = child.getNextSibling()) {
      if (child instanceof Element element && element.getTagName().equals(name)) {
        found.add(element);
      }
    }
    return found;
  }
}
