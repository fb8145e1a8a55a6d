"""How an answer key is written: what is right, what is commonly wrong, and what each is worth."""

from grader.key.answer_key import AnswerKey, Question, load_key
from grader.key.code import CodeQuestion
from grader.key.draw import Draw
from grader.key.steps import Step
from grader.key.values import ValueQuestion

__all__ = ["AnswerKey", "CodeQuestion", "Draw", "Question", "Step", "ValueQuestion", "load_key"]
