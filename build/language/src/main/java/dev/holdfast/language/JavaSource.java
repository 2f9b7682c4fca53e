package dev.holdfast.language;

import com.github.javaparser.JavaParser;
import com.github.javaparser.ParseResult;
import com.github.javaparser.ParserConfiguration;
import com.github.javaparser.ast.CompilationUnit;
import com.github.javaparser.ast.Node;
import com.github.javaparser.ast.body.MethodDeclaration;
import com.github.javaparser.ast.comments.Comment;
import com.github.javaparser.ast.expr.BinaryExpr;
import com.github.javaparser.ast.expr.CharLiteralExpr;
import com.github.javaparser.ast.expr.EnclosedExpr;
import com.github.javaparser.ast.expr.Expression;
import com.github.javaparser.ast.expr.StringLiteralExpr;
import com.github.javaparser.ast.expr.TextBlockLiteralExpr;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Comments, string literals and names of tests of a Java file. */
final class JavaSource {
  private final List<Passage> passages = new ArrayList<>();

  private JavaSource() {}

  /**
   * Returns the passages of a compilation unit.
   *
   * @throws IllegalArgumentException the text is not Java 17
   */
  static List<Passage> read(String text) {
    var configuration =
        new ParserConfiguration()
            .setLanguageLevel(ParserConfiguration.LanguageLevel.JAVA_17)
            .setAttributeComments(false)
            .setTabSize(1);
    ParseResult<CompilationUnit> result = new JavaParser(configuration).parse(text);
    if (!result.isSuccessful()) {
      throw new IllegalArgumentException("not a Java 17 compilation unit: " + result.getProblem(0));
    }
    CompilationUnit unit = result.getResult().orElseThrow();
    JavaSource source = new JavaSource();
    source.comments(result.getCommentsCollection().orElseThrow().getComments());
    source.literals(unit);
    source.testNames(unit);
    return source.passages;
  }

  /** Reads comments in their order; line comments on successive lines are one passage. */
  private void comments(Iterable<Comment> comments) {
    Passage run = null;
    int next = 0;
    for (Comment comment : comments) {
      if (!comment.isLineComment()) {
        blockComment(comment);
      } else if (run != null && line(comment) == next) {
        new CommentText(run).add(comment.getContent(), next);
        next++;
      } else {
        run = started(Passage.Kind.PROSE);
        new CommentText(run).add(comment.getContent(), line(comment));
        next = line(comment) + 1;
      }
    }
    passages.forEach(Markup::maskJavadoc);
  }

  private void blockComment(Comment comment) {
    Passage passage =
        started(comment.isJavadocComment() ? Passage.Kind.JAVADOC : Passage.Kind.PROSE);
    CommentText text = new CommentText(passage);
    int line = line(comment);
    for (String part : comment.getContent().split("\n", -1)) {
      text.add(part.replaceFirst("^\\s*\\* ?", ""), line++);
    }
  }

  private void literals(CompilationUnit unit) {
    for (StringLiteralExpr literal : unit.findAll(StringLiteralExpr.class)) {
      if (!isPartOfSum(literal)) {
        started(Passage.Kind.PROSE).add(literal.asString(), line(literal));
      }
    }
    for (TextBlockLiteralExpr block : unit.findAll(TextBlockLiteralExpr.class)) {
      int line = line(block) + 1;
      for (String part : block.getValue().split("\n", -1)) {
        started(Passage.Kind.LITERAL).add(part.strip(), line++);
      }
    }
    for (BinaryExpr sum : unit.findAll(BinaryExpr.class)) {
      if (sum.getOperator() == BinaryExpr.Operator.PLUS && !isPartOfSum(sum)) {
        Passage passage = new Passage(Passage.Kind.PROSE);
        if (addParts(sum, passage)) {
          passages.add(passage);
        }
      }
    }
  }

  private static boolean isPartOfSum(Expression expression) {
    return expression
        .getParentNode()
        .filter(parent -> parent instanceof BinaryExpr sum && isSum(sum))
        .isPresent();
  }

  private static boolean isSum(BinaryExpr expression) {
    return expression.getOperator() == BinaryExpr.Operator.PLUS;
  }

  /** Adds the operands in order, code for what is not a literal; true if one was a literal. */
  private static boolean addParts(Expression part, Passage passage) {
    if (part instanceof BinaryExpr sum && isSum(sum)) {
      boolean left = addParts(sum.getLeft(), passage);
      return addParts(sum.getRight(), passage) || left;
    }
    if (part instanceof EnclosedExpr enclosed && enclosed.getInner() instanceof BinaryExpr) {
      return addParts(enclosed.getInner(), passage);
    }
    boolean literal = part instanceof StringLiteralExpr;
    String text = String.valueOf(Passage.CODE);
    if (part instanceof StringLiteralExpr string) {
      text = string.asString();
    } else if (part instanceof CharLiteralExpr character) {
      text = character.getValue();
    }
    passage.join(text.replace('\n', ' '), line(part));
    return literal;
  }

  private void testNames(CompilationUnit unit) {
    for (MethodDeclaration method : unit.findAll(MethodDeclaration.class)) {
      boolean test =
          method.getAnnotations().stream()
              .anyMatch(annotation -> annotation.getNameAsString().matches(".*Test|Property"));
      if (test) {
        String name = method.getNameAsString();
        String words =
            name.replaceAll("(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ")
                .toLowerCase(Locale.ROOT);
        started(Passage.Kind.LITERAL).add(words, line(method.getName()));
      }
    }
  }

  private Passage started(Passage.Kind kind) {
    Passage passage = new Passage(kind);
    passages.add(passage);
    return passage;
  }

  private static int line(Node node) {
    return node.getBegin().map(position -> position.line).orElse(1);
  }
}
